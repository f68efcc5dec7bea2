-- The days that this batch builds: those with rows in a file that no published batch has
-- yet, or every day if rebuild is set. A new file may also cover a day on which it has no row. If it
-- was published before the other files of the day, their rows were stated later than it
-- (batch_later_statement). So a day that was built already is built again if a new file covers it.
--
-- before: series_day_version
INSERT INTO series_day_version (date, build)
SELECT DISTINCT date, {batch:UInt64}
FROM fact_quota
WHERE source_sha256 IN
(
    SELECT sha256 FROM batch_file(batch = {batch:UInt64})
    WHERE {rebuild:Bool} OR sha256 NOT IN (SELECT sha256 FROM batch_file(batch = {previous:UInt64}))
)
UNION DISTINCT
SELECT date, {batch:UInt64}
FROM batch_cartola_day(batch = {batch:UInt64})
WHERE sha256 NOT IN (SELECT sha256 FROM batch_file(batch = {previous:UInt64}))
  AND date IN (SELECT date FROM series_day_version WHERE build < {batch:UInt64} AND build NOT IN (SELECT batch FROM batch_failure))
