-- How many days of mutual funds and of investment funds a batch builds.
SELECT (SELECT count() FROM series_day_version WHERE build = {batch:UInt64}) + (SELECT count() FROM fi_day_version WHERE build = {batch:UInt64}) AS days
