-- Rejected rows that are kept no longer, as files: those of the files that came last
-- stay as long as they are no more than 100,000 in all. The rows of a file go
-- together. What may still be arriving stays whatever its number: rows of a file that
-- is not complete are counted towards it, for a week. The manifest of a file goes on
-- telling how many rows of it were rejected.
--   SELECT count() FROM outdated_reject
CREATE OR REPLACE VIEW outdated_reject AS
SELECT dataset, source_sha256
FROM
(
    SELECT
        dataset, source_sha256, arrived,
        sum(lines) OVER (ORDER BY arrived DESC, dataset, source_sha256 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far,
        max(arrived) OVER () AS newest
    FROM
    (
        SELECT dataset, source_sha256, max(arrived_at) AS arrived, count() AS lines
        FROM rejected_row
        GROUP BY dataset, source_sha256
    )
)
WHERE so_far > 100000
  AND (source_sha256 IN (SELECT sha256 FROM source) OR arrived < newest - INTERVAL 7 DAY)
