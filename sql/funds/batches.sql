-- Every batch that was published, and when: what was known at a moment is in the newest batch that
-- was published by then.
--   SELECT batch, published_at, as_of_date FROM funds.batches ORDER BY batch DESC LIMIT 5
--
-- changes: none
CREATE OR REPLACE VIEW funds.batches
(
    batch          UInt64                         COMMENT 'Number of the batch',
    batch_id       String                         COMMENT 'Name of the batch in the API',
    as_of_date     Nullable(Date)                 COMMENT 'Cutoff: the latest complete day; null while no day was complete',
    published_at   DateTime64(3, 'UTC')           COMMENT 'When the batch was published, UTC; with several copies up to 20 seconds ahead',
    superseded_at  Nullable(DateTime64(3, 'UTC')) COMMENT 'When the next one was published, UTC; null for the newest',
    readable       Bool                           COMMENT 'The batch is kept and undamaged: quotas_known_at answers from it'
)
SQL SECURITY DEFINER AS
SELECT batch, batch_id, as_of_date, published_at, superseded_at, kept AND NOT damaged AS readable
FROM published_batch
COMMENT 'Every batch that was published, and when, also those that are no longer kept. Key: batch.'
