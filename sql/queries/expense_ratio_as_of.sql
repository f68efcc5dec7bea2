-- The cost rate of a series that was in force at a date, its kind (RULES 2) and its month, with the
-- investor class that was stated with it, else the class in the newest classification file by then.
-- It has one row.
SELECT
    if(costs.series_id = 0, NULL, costs.tac)  AS tac,
    nullIf(costs.tac_kind, '')                AS tac_kind,
    if(costs.series_id = 0, NULL, costs.date) AS tac_date,
    coalesce(nullIf(costs.investor_class, ''), nullIf(line.investor_class, '')) AS investor_class
FROM (SELECT {series_id:UInt32} AS asked) AS of
LEFT JOIN (SELECT * FROM tac_as_of(batch = {batch:UInt64}, as_of = {as_of:Date}) WHERE series_id = {series_id:UInt32}) AS costs
    ON costs.series_id = of.asked
LEFT JOIN (SELECT * FROM series_official_return_as_of(batch = {batch:UInt64}, as_of = {as_of:Date}) WHERE series_id = {series_id:UInt32}) AS line
    ON line.series_id = of.asked
