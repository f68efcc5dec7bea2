-- Rejected rows that are no longer kept, by file. The rows of the newest files are kept, up
-- to 100,000 rows in all. The rows of a file are kept or dropped together. Rows of a file
-- that may still be arriving are kept for a week, whatever their number, because they count
-- towards its completeness. The manifest of a file still tells how many of its rows were
-- rejected.
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
  AND (source_sha256 IN (SELECT sha256 FROM complete_file) OR arrived < newest - INTERVAL 7 DAY)
