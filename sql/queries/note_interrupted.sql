-- Notes as failed the batches that were begun before this one and were neither published
-- nor given up. The projector that built them was killed, or is superseded by this batch
-- and can't publish them. A batch that has notes was begun, also if its attempt was lost.
INSERT INTO batch_failure (batch, failed_at, reason)
SELECT DISTINCT batch, {now:DateTime64(3, 'UTC')}, format('interrupted: batch {} was begun before it was published', toString({batch:UInt64}))
FROM (SELECT batch FROM batch_attempt UNION ALL SELECT batch FROM batch_table)
WHERE batch > (SELECT max(batch) FROM batch) AND batch < {batch:UInt64}
  AND batch NOT IN (SELECT batch FROM batch_failure)
