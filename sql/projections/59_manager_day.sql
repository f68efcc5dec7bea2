-- Each manager in each currency on the days that this batch builds, between {from}
-- and {to} (RULES 8). Conversion to pesos is the reader's: the dólar of a day may
-- be corrected without the day. Each series counts with the row that stands for it
-- (market_standing_of); a void one adds nothing.
INSERT INTO manager_day (date, manager_rut, currency, build, equity, shareholders, series, runs)
SELECT
    stands_on, manager_rut, currency, {batch:UInt64},
    sum(toDecimal128(ifNull(equity, 0), 4)), sum(ifNull(shareholders, 0)), count(), arraySort(groupUniqArray(registered.run))
FROM market_standing_of(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS market
INNER JOIN (SELECT id, run FROM registry WHERE kind = 'series') AS registered ON registered.id = market.series_id
WHERE price IS NOT NULL AND stands_on IN (SELECT date FROM market_build WHERE build = {batch:UInt64})
GROUP BY stands_on, manager_rut, currency
