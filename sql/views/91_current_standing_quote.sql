-- standing_quote, as the current batch sees it: of each day the newest build.
--   SELECT * FROM current_standing_quote LIMIT 10
CREATE OR REPLACE VIEW current_standing_quote AS
SELECT * EXCEPT (build)
FROM standing_quote
WHERE (date, build) IN
(
    SELECT date, max(build) FROM return_day_version
    WHERE build <= (SELECT max(batch) FROM batch)
      AND (build = (SELECT max(batch) FROM batch) OR build NOT IN (SELECT batch FROM batch_failure))
    GROUP BY date
)
