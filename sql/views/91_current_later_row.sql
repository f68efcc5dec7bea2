-- later_row, as the current batch sees it: of each day the newest build.
--   SELECT * FROM current_later_row WHERE date = '2025-07-18' LIMIT 10
CREATE OR REPLACE VIEW current_later_row AS
SELECT * EXCEPT (build)
FROM later_row
WHERE (date, build) IN
(
    SELECT date, max(build) FROM series_day_version
    WHERE build <= (SELECT max(batch) FROM batch)
      AND (build = (SELECT max(batch) FROM batch) OR build NOT IN (SELECT batch FROM batch_failure))
    GROUP BY date
)
