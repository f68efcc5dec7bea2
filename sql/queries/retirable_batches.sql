-- The batches to retire. These are the published ones that are not kept, and those that were
-- begun and not published, or half retired, which may have left rows. A batch that failed
-- after the oldest kept batch is found by abandoned_batches.
--   keep  so many of the newest batches are kept
--   days  the last undamaged batch of each day in Santiago is kept, for so many calendar days
--         up to that of the newest batch
WITH
    kept AS
    (
        (SELECT batch FROM batch ORDER BY batch DESC LIMIT {keep:UInt32})
        UNION DISTINCT
        SELECT max(batch)
        FROM batch
        WHERE batch NOT IN (SELECT batch FROM batch_damage)
          AND toDate(calculated_at, 'America/Santiago') + {days:UInt32} > (SELECT toDate(argMax(calculated_at, batch), 'America/Santiago') FROM batch)
        GROUP BY toDate(calculated_at, 'America/Santiago')
    )
SELECT DISTINCT batch
FROM
(
    SELECT batch FROM batch
    UNION ALL SELECT batch FROM batch_failure
    UNION ALL SELECT batch FROM screener
    UNION ALL SELECT batch FROM market_completeness
)
WHERE batch NOT IN (SELECT batch FROM kept)
  AND batch NOT IN (SELECT batch FROM retired_batch)
  AND (batch < (SELECT min(batch) FROM kept)
       OR batch < (SELECT max(batch) FROM batch) AND batch NOT IN (SELECT batch FROM batch_failure))
ORDER BY batch
