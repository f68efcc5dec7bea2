-- A checksum over the rows that a batch wrote to a table of days, independent of their order. Two copies that build
-- the same plans have the same checksums.
SELECT count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (build))))) AS checksum
FROM {table:Identifier}
WHERE build = {batch:UInt64}
