-- How many stated rows of mutual funds and of investment funds are on the days that a batch builds.
SELECT
    (SELECT count() FROM fact_quota WHERE date IN (SELECT date FROM series_day_version WHERE build = {batch:UInt64}))
        + (SELECT count() FROM fact_investment_value WHERE date IN (SELECT date FROM fi_day_version WHERE build = {batch:UInt64})) AS rows
