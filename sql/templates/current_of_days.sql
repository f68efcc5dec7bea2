-- TABLE, as the current batch sees it: of each day the newest build.
--   SELECT * FROM current_TABLE LIMIT 10
CREATE OR REPLACE VIEW current_TABLE AS
SELECT * EXCEPT (build)
FROM TABLE
WHERE (date, build) IN
(
    SELECT date, max(build) FROM BUILDS
    WHERE build <= (SELECT max(batch) FROM batch)
      AND (build = (SELECT max(batch) FROM batch) OR build NOT IN (SELECT batch FROM batch_failure))
    GROUP BY date
)
