-- More days that this batch builds: those with a quote under a name that belongs to another
-- series than in the previous batch, or that is valid on other days.
--
-- when: renames_stated
-- counts: rows_building
INSERT INTO series_day_version (date, build)
SELECT DISTINCT date, {batch:UInt64}
FROM fact_quota
WHERE (run, serie) IN
(
    SELECT run, serie
    FROM series_label
    WHERE batch IN ({batch:UInt64}, {previous:UInt64})
    GROUP BY series_id, run, serie, position, valid_from, valid_until
    HAVING count() = 1
)
  AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
  AND date NOT IN (SELECT date FROM series_day_version WHERE build = {batch:UInt64})
