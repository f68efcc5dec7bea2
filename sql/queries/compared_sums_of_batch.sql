-- The rows that a table has of a batch, in buckets that two copies compare.
--   key_1  the day if the key has one, else the first column of the key
SELECT
parts.compared_sum(number: batch)
FROM {table:Identifier}
WHERE batch = {batch:UInt64}
GROUP BY bucket
