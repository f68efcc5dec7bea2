-- Batches that were begun and never published, and that can no longer be published: a newer
-- batch is published, or three newer ones were begun. A single newer attempt also forbids
-- publication, but the publishing statement may already be running when that attempt begins
-- (docs/decisions/0038-several-projectors.md). Batches older than the oldest kept batch are
-- found by retirable_batches.
SELECT DISTINCT batch
FROM batch_failure
WHERE batch > (SELECT min(batch) FROM batch)
  AND (batch < (SELECT max(batch) FROM batch)
       OR batch + 2 < (SELECT max(batch) FROM batch_attempt))
  AND batch NOT IN (SELECT batch FROM batch)
  AND batch NOT IN (SELECT batch FROM retired_batch)
ORDER BY batch
