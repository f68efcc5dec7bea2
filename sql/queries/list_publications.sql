-- Lists the published batches that are not listed yet. It runs before batches are retired,
-- because afterwards nothing else says when they were published.
INSERT INTO publication (batch, batch_id, published_at, as_of_date)
SELECT batch, batch_id, calculated_at, as_of_date
FROM batch
WHERE batch NOT IN (SELECT batch FROM publication)
