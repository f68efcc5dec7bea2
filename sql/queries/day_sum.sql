-- A checksum over all rows that a table of days has as a batch sees it, independent of
-- their order. Two batches of the same files have the same checksums.
--   list  the table with the builds of the days
SELECT count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (build))))) AS checksum
FROM {table:Identifier}
WHERE (date, build) IN
(
    SELECT date, max(build) FROM {list:Identifier}
    WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
    GROUP BY date
)
