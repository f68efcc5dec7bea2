-- Batches that were begun and never published, and whose rows nobody needs. Only those that
-- can't be published any more: a newer batch is published, or three newer ones were begun.
-- A single newer attempt forbids publication too, but the publishing statement may already
-- be running when that attempt begins (docs/decisions/0038-several-projectors.md). Those below the oldest
-- kept batch are old batches like others, of which retirable_batches tells.
SELECT DISTINCT batch
FROM batch_failure
WHERE batch > (SELECT min(batch) FROM batch)
  AND (batch < (SELECT max(batch) FROM batch)
       OR batch + 2 < (SELECT max(batch) FROM batch_attempt))
  AND batch NOT IN (SELECT batch FROM batch)
  AND batch NOT IN (SELECT batch FROM retired_batch)
ORDER BY batch
