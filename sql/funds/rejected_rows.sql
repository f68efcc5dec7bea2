-- Rows of published files that were rejected, and which of them nothing has corrected yet.
--   SELECT dataset, file, count() FROM funds.rejected_rows WHERE open GROUP BY dataset, file
--
-- changes: none
CREATE OR REPLACE VIEW funds.rejected_rows
(
    dataset        LowCardinality(String) COMMENT 'Dataset of the file',
    source_sha256  String                 COMMENT 'Hash of the file, SHA-256 in hex',
    line           UInt32                 COMMENT 'Line in the file, from 1',
    file           String                 COMMENT 'Name of the file',
    reason         String                 COMMENT 'What was wrong',
    raw            String                 COMMENT 'The row as it came, at most 4 KiB',
    open           Bool                   COMMENT 'Nothing has corrected it yet',
    arrived_at     DateTime('UTC')        COMMENT 'When the row came last, UTC'
)
SQL SECURITY DEFINER AS
SELECT dataset, source_sha256, source_line AS line, file, reason, raw, toBool(open) AS open, arrived_at
FROM rejection
COMMENT 'Rejected rows of published files, the newest 100,000. Key: dataset, source_sha256, line.'
