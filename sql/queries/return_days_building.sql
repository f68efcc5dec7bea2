-- How many days a batch builds: of mutual funds, of investment funds, and of returns.
SELECT
    (SELECT count() FROM series_day_version WHERE build = {batch:UInt64})
        + (SELECT count() FROM fi_day_version WHERE build = {batch:UInt64})
        + (SELECT count() FROM return_day_version WHERE build = {batch:UInt64}) AS days
