-- family_long_step, as the current batch sees it: of each day the newest build.
--   SELECT * FROM current_family_long_step LIMIT 10
CREATE OR REPLACE VIEW current_family_long_step AS
SELECT * EXCEPT (build)
FROM family_long_step
WHERE (date, build) IN
(
    SELECT date, max(build) FROM market_day_version
    WHERE build <= (SELECT max(batch) FROM batch)
      AND (build = (SELECT max(batch) FROM batch) OR build NOT IN (SELECT batch FROM batch_failure))
    GROUP BY date
)
