-- The series with a row that stands on each day (batch_market_standing), for the days between {from} and {to} that this
-- batch builds.
--
-- chunks: market_chunks
INSERT INTO candidate_day (date, build, series_ids, void_ids, dollar_ids, unknown_ids, earlier)
SELECT
    stands_on, {batch:UInt64},
    arraySort(groupArray(series_id)),
    arraySort(groupArrayIf(series_id, price IS NULL)),
    arraySort(groupArrayIf(series_id, currency = 'DOLAR')),
    arraySort(groupArrayIf(series_id, currency NOT IN ('PESOS', 'DOLAR'))),
    arraySort(groupArrayIf((series_id, date), date < stands_on))
FROM batch_market_standing(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date})
WHERE stands_on IN (SELECT date FROM market_day_version WHERE build = {batch:UInt64})
GROUP BY stands_on
