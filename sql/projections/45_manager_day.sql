-- Each manager in each currency, for the days between {from} and {to} that this batch
-- builds (RULES 8). The reader converts to pesos, because the dólar of a day may be
-- corrected without the day being built again. Each series counts with its row that counts
-- on the day (batch_market_standing). A void row adds nothing.
--
-- chunks: market_chunks
INSERT INTO manager_day (date, manager_rut, currency, build, equity, shareholders, series, runs)
SELECT
    stands_on, manager_rut, currency, {batch:UInt64},
    sum(toDecimal128(ifNull(equity, 0), 4)), sum(ifNull(shareholders, 0)), count(), arraySort(groupUniqArray(registered.run))
FROM batch_market_standing(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS market
INNER JOIN (SELECT id, run FROM registry WHERE kind = 'series') AS registered ON registered.id = market.series_id
WHERE price IS NOT NULL AND stands_on IN (SELECT date FROM market_day_version WHERE build = {batch:UInt64})
GROUP BY stands_on, manager_rut, currency
