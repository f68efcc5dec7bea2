-- One row for each series of an investment fund and day, as batch N sees it: the newest
-- build of each day up to N. It covers the series in the list, or every series if
-- all_series is set.
--   SELECT * FROM batch_fi_day(batch = 7, series = [], all_series = true) WHERE date = '2025-06-30'
CREATE OR REPLACE VIEW batch_fi_day AS
SELECT
    series_id, date, currency, book_value, economic_value, equity, total_assets, contributors, institutional, agency
FROM fi_day
WHERE (date, build) IN parts.newest_builds(list: fi_day_version)
  AND ({all_series:Bool} OR series_id IN {series:Array(UInt32)})
