-- How many stated rows of mutual funds are on the days whose returns a batch builds.
SELECT count() AS rows FROM fact_quota
WHERE date IN (SELECT date FROM return_day_version WHERE build = {batch:UInt64})
