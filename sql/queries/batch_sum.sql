-- A checksum over all rows that a table has of a batch, independent of their order. Two
-- batches of the same files have the same checksums.
SELECT count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum
FROM {table:Identifier}
WHERE batch = {batch:UInt64}
