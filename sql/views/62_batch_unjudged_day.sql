-- The days of which batch N computes again how completely the market has reported them: those from
-- the first day on which a row, a dólar or an end of a series differs from the batch before it.
-- What is complete depends on the days before, so later days may differ too.
--   SELECT min(date) FROM batch_unjudged_day(batch = 7, previous = 6)
CREATE OR REPLACE VIEW batch_unjudged_day AS
WITH changed AS
(
    SELECT date AS changed_on FROM series_day_version WHERE build = {batch:UInt64}
    UNION ALL
    parts.moved_dolars
    UNION ALL
    SELECT ended_on
    parts.from_moved_ends
)
SELECT DISTINCT date
FROM series_day_version
WHERE parts.seen_by_batch(key: build)
  AND date >= (SELECT minOrNull(changed_on) FROM changed)
