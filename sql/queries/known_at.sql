-- The batch that answers what was known at a moment, always in one row. batch_id is empty if
-- no batch answers. superseded_at is when the next batch was published, kept or not; null if
-- there is none. since is the earliest moment that a batch answers; null if there is no batch.
--   known_at  the moment
SELECT
    known.batch_id AS batch_id,
    if(parts.moment_has_come(moment: known.superseded_at), known.superseded_at, NULL) AS superseded_at,
    kept.since AS since
FROM (SELECT minOrNull(published_at) AS since FROM published_batch WHERE kept AND NOT damaged) AS kept
LEFT JOIN (SELECT batch_id, superseded_at FROM batch_known_at(known_at = {known_at:DateTime64(3, 'UTC')})) AS known ON true
