-- How much of each dataset is in the published batch, and how new it is.
--   SELECT dataset, last_date FROM funds.freshness ORDER BY last_date
--
-- changes: none
CREATE OR REPLACE VIEW funds.freshness
(
    dataset        LowCardinality(String)        COMMENT 'Dataset of the files, as in cartola',
    files          UInt64                        COMMENT 'Number of files in the published batch',
    rows           UInt64                        COMMENT 'Number of rows that these files have',
    rejected_rows  UInt64                        COMMENT 'Number of these that were rejected',
    first_date     Nullable(Date)                COMMENT 'First day that the files speak of; null where they speak of none',
    last_date      Nullable(Date)                COMMENT 'Last day that the files speak of; null where they speak of none',
    published_at   DateTime64(3, 'UTC')          COMMENT 'When the newest of the files was published by its source, else first seen, UTC'
)
SQL SECURITY DEFINER AS
SELECT
    complete.dataset AS dataset, count() AS files, sum(complete.rows) AS rows, sum(complete.rejected) AS rejected_rows,
    min(complete.first_date) AS first_date, max(complete.last_date) AS last_date, max(complete.revision) AS published_at
FROM complete_file AS complete FINAL
WHERE complete.sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
GROUP BY dataset
COMMENT 'How much of each dataset is in the published batch, and how new it is. Key: dataset.'
