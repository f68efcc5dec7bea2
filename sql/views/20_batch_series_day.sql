-- One row for each series and day, as batch N sees it: the newest build of each day up to
-- N. It covers the series in the list, of mutual funds and of investment funds. If
-- all_series is set, it covers every series of mutual funds.
--   SELECT * FROM batch_series_day(batch = 7, series = [4047362302], all_series = false) ORDER BY date
CREATE OR REPLACE VIEW batch_series_day AS
SELECT
    series_id, date, quota, currency, equity, shareholders, manager_rut, units_outstanding, units_contributed, units_redeemed,
    costs, adjustment_factor, distribution_factor
FROM series_day
WHERE (date, build) IN parts.newest_builds(list: series_day_version)
  AND ({all_series:Bool} OR series_id IN {series:Array(UInt32)})
UNION ALL
-- These columns are the same as in batch_fi_quote, which is not called here: the engine
-- analyses a view inside a view twice. This view is part of most statements, so a call
-- would take most of their time on a small market.
SELECT
    series_id, date, book_value, currency, equity, contributors, 0, NULL, NULL, NULL, NULL, NULL, NULL
FROM fi_day
WHERE NOT {all_series:Bool} AND series_id IN {series:Array(UInt32)}
  AND (date, build) IN parts.newest_builds(list: fi_day_version)
