-- A checksum over all rows that a table of days has as a batch sees it, independent of
-- their order. Two batches of the same files have the same checksums.
--   list  the table with the builds of the days
SELECT count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (build))))) AS checksum
FROM {table:Identifier}
WHERE (date, build) IN parts.newest_builds(list: {list:Identifier})
