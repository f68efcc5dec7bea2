-- How much of each dataset is in the published batch, and how new it is.
--   SELECT dataset, last_date FROM funds.freshness ORDER BY last_date
CREATE OR REPLACE VIEW funds.freshness
(
    dataset        LowCardinality(String)        COMMENT 'Dataset of the files, as in cartola',
    files          UInt64                        COMMENT 'Number of files in the published batch',
    rows           UInt64                        COMMENT 'Number of rows that these files have',
    rejected_rows  UInt64                        COMMENT 'Number of these that were rejected',
    first_date     Nullable(Date)                COMMENT 'First day that the files speak of; null where they speak of none',
    last_date      Nullable(Date)                COMMENT 'Last day that the files speak of; null where they speak of none',
    published_at   DateTime64(3, 'UTC')          COMMENT 'When the newest of the files was published by its source, else first seen, UTC',
    due_on         Nullable(Date)                COMMENT 'Day by which the next data should be here; null where nothing is expected (CUOTA_FRESHNESS)'
)
SQL SECURITY DEFINER AS
SELECT complete.dataset AS dataset,
    parts.datasets_of_batch
COMMENT 'How much of each dataset is in the published batch, and how new it is. Key: dataset.'
