-- The published batch, from which every view of this database is: one row.
--   SELECT as_of_date, calculated_at FROM funds.published
--
-- changes: none
CREATE OR REPLACE VIEW funds.published
(
    batch                 UInt64               COMMENT 'Number of the batch',
    batch_id              String               COMMENT 'Name of the batch in the API',
    as_of_date            Nullable(Date)       COMMENT 'Cutoff: the latest complete day, at which series count as alive and the screener is taken; null while no day is complete',
    last_quota_date       Nullable(Date)       COMMENT 'Latest day with any quota; days after as_of_date are incomplete',
    calculated_at         DateTime64(3, 'UTC') COMMENT 'When the batch was computed, UTC',
    series                UInt32               COMMENT 'Number of series of mutual funds that are alive at as_of_date: rows of screener',
    total_records         UInt64               COMMENT 'Number of rows of published files from which the batch was computed, corrections resolved'
)
SQL SECURITY DEFINER AS
SELECT batch, batch_id, as_of_date, last_quota_date, calculated_at, series_count AS series, total_records
FROM batch
WHERE batch = {batch:UInt64}
COMMENT 'The published batch, from which all other tables are. Key: batch.'
