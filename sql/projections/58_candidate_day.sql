-- The series with a row that stands on each day, for the days between {from} and {to} that this batch builds. A row
-- stands on its own day and on the days after it up to stands_until (57_market_day).
--
-- chunks: market_chunks
INSERT INTO candidate_day (date, build, series_ids, void_ids, dollar_ids, unknown_ids, earlier)
WITH standing AS
(
    SELECT
        date, arrayJoin(arrayMap(n -> date + n, range(toUInt16(stands_until - date + 1)))) AS day,
        series_id, price IS NULL AS void, currency = 'DOLAR' AS in_dollars, currency NOT IN ('PESOS', 'DOLAR') AS in_unknown
    FROM batch_market_day(batch = {batch:UInt64}, from = toDate({from:Date}) - 7, to = {to:Date})
)
SELECT
    day, {batch:UInt64},
    arraySort(groupArray(series_id)),
    arraySort(groupArrayIf(series_id, void)),
    arraySort(groupArrayIf(series_id, in_dollars)),
    arraySort(groupArrayIf(series_id, in_unknown)),
    arraySort(groupArrayIf((series_id, date), date < day))
FROM standing
WHERE day BETWEEN {from:Date} AND {to:Date} AND day IN (SELECT date FROM market_day_version WHERE build = {batch:UInt64})
GROUP BY day
