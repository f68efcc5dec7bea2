-- Builds of days in return_day_version that no kept batch sees: the oldest kept batch already
-- sees a newer build of the day, or the batch that made the build failed before the oldest
-- kept batch.
--   SELECT count() FROM superseded_return_day
CREATE OR REPLACE VIEW superseded_return_day AS
WITH (SELECT min(batch) FROM batch) AS oldest_kept
SELECT date, build
FROM return_day_version
LEFT JOIN
(
    SELECT date, max(build) AS seen FROM return_day_version
    WHERE build <= oldest_kept AND (build = oldest_kept OR build NOT IN (SELECT batch FROM batch_failure))
    GROUP BY date
) AS oldest USING (date)
WHERE build < oldest.seen OR build < oldest_kept AND build IN (SELECT batch FROM batch_failure)
SETTINGS join_use_nulls = 0
