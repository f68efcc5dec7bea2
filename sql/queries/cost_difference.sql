-- What an amount comes to after each of some years, under two cost rates and the same assumed return before costs: each
-- year it grows by the return, and the cost rate is taken from what is there then. It is arithmetic on an assumption, and
-- reads no table.
--   amount         what is there at the start
--   years          how many years
--   gross          return of each year before costs, fraction
--   first, second  annual cost rates, fractions
SELECT
    toUInt16(n) AS year,
    {amount:Float64} * pow((1 + {gross:Float64}) * (1 - {first:Float64}), n)  AS first_value,
    {amount:Float64} * pow((1 + {gross:Float64}) * (1 - {second:Float64}), n) AS second_value,
    second_value - first_value                                                AS difference
FROM (SELECT arrayJoin(range(1, toUInt32({years:UInt16}) + 1)) AS n)
ORDER BY year
