-- The published batch, what waits for the next one, and why the last attempt failed, if it
-- did. An attempt that was interrupted did not fail.
SELECT
    published.batch_id, published.as_of_date, published.calculated_at, published.series_count, published.total_records,
    (SELECT count() FROM complete_file FINAL
     WHERE sha256 NOT IN (SELECT sha256 FROM batch_file(batch = (SELECT max(batch) FROM batch)))) AS unprojected,
    (SELECT ifNull(argMaxOrNull(reason, batch), '') FROM batch_failure
     WHERE batch > (SELECT max(batch) FROM batch) AND NOT startsWith(reason, 'interrupted: ')) AS failure
FROM (SELECT 1 AS one) AS always
LEFT JOIN (SELECT 1 AS one, * FROM batch ORDER BY batch DESC LIMIT 1) AS published USING (one)
