-- The rows that a table has of a batch, of the buckets in which two copies differ.
--   key_1, key_2, key_3, key_4  the columns of the key, the day first; the last one is repeated if there are fewer
--   buckets                     numbers of compared_sums_of_batch
--   wanted                      hashes of the rows whose text is wanted; none: all rows without their text
SELECT
parts.compared_row(number: batch)
FROM {table:Identifier}
WHERE batch = {batch:UInt64} AND
parts.compared_rest
