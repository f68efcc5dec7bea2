-- The batch with which a dry run compares a file: the newest whose moment has come. It has no row before the first one.
SELECT batch, batch_id, as_of_date
FROM batch
WHERE parts.moment_has_come(moment: calculated_at)
ORDER BY batch DESC
LIMIT 1
