-- Every line that states an exchange, by publication: how many quotas of the destination one of the origin became. The one
-- that counts is that of batch_exchange, which has the highest revision of the event.
--   event_id  id of the exchange
SELECT
    effective_date AS date, 'events' AS dataset, toNullable(toString(origin_serie)) AS serie, toNullable(factor) AS value,
    toBool(row_number() OVER (ORDER BY event_revision DESC, published_at DESC, sha256 DESC, line DESC) = 1) AS counts,
    published_at, sha256, line
FROM
(
    SELECT DISTINCT -- a line may be delivered twice
        effective_date, origin_serie, factor, event_revision, revision AS published_at, toString(source_sha256) AS sha256,
        source_line AS line
    FROM fact_exchange
    WHERE event_id = {event_id:String} AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
)
ORDER BY published_at, sha256, line
