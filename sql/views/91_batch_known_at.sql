-- What was known at a moment: of the batches that are kept and undamaged, the newest that was
-- published by then. No row if all of them are later. If superseded_at is not after the
-- moment, a batch in between is not kept any more.
--   SELECT batch, published_at FROM batch_known_at(known_at = '2026-11-20 21:00:00')
CREATE OR REPLACE VIEW batch_known_at AS
SELECT batch, batch_id, published_at, superseded_at
FROM published_batch
WHERE kept AND NOT damaged AND published_at <= {known_at:DateTime64(3, 'UTC')}
ORDER BY batch DESC
LIMIT 1
