-- Builds of days, in day_build, that no kept batch sees: a newer build of the same day is
-- not after the oldest kept batch, or a batch made them that failed before that one.
--   SELECT count() FROM superseded_day
CREATE OR REPLACE VIEW superseded_day AS
WITH (SELECT min(batch) FROM batch) AS oldest_kept
SELECT date, build
FROM day_build
LEFT JOIN
(
    SELECT date, max(build) AS seen FROM day_build
    WHERE build <= oldest_kept AND (build = oldest_kept OR build NOT IN (SELECT batch FROM batch_failure))
    GROUP BY date
) AS oldest USING (date)
WHERE build < oldest.seen OR build < oldest_kept AND build IN (SELECT batch FROM batch_failure)
SETTINGS join_use_nulls = 0
