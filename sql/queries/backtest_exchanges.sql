-- The verified exchanges of a batch between series that have quotes in one currency. Another one is
-- not followed (docs/backtests.md, section 4).
WITH currencies AS (SELECT series_id, currency FROM series WHERE batch = {batch:UInt64} AND currency IS NOT NULL)
SELECT exchanges.origin_id AS origin_id, effective_date, exchanges.destination_id AS destination_id, toFloat64(factor) AS factor
FROM batch_exchange(batch = {batch:UInt64}) AS exchanges
INNER JOIN currencies AS origin ON origin.series_id = exchanges.origin_id
INNER JOIN currencies AS destination ON destination.series_id = exchanges.destination_id
WHERE origin.currency = destination.currency
ORDER BY origin_id, effective_date, event_id
