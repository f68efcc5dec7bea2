-- candidate_day, as the current batch sees it: of each day the newest build.
--   SELECT * FROM current_candidate_day LIMIT 10
CREATE OR REPLACE VIEW current_candidate_day AS
SELECT * EXCEPT (build)
FROM candidate_day
WHERE (date, build) IN
(
    SELECT date, max(build) FROM market_day_version
    WHERE build <= (SELECT max(batch) FROM batch)
      AND (build = (SELECT max(batch) FROM batch) OR build NOT IN (SELECT batch FROM batch_failure))
    GROUP BY date
)
