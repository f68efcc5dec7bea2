-- One row per series and day, as batch N sees it: for each day the newest build
-- not after N. Of the series that the list names, whether of mutual funds or of
-- investment funds; with all_series, of every series of the mutual funds.
--   SELECT * FROM series_day_of(batch = 7, series = [4047362302], all_series = false) ORDER BY date
CREATE OR REPLACE VIEW series_day_of AS
SELECT
    series_id, date, quota, currency, equity, shareholders, manager_rut, units_outstanding, units_contributed, units_redeemed,
    costs, adjustment_factor, distribution_factor
FROM series_day
WHERE (date, build) IN (SELECT date, max(build) FROM day_build WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure)) GROUP BY date)
  AND ({all_series:Bool} OR series_id IN {series:Array(UInt32)})
UNION ALL
-- As fi_quote_of has them. A view in a view is analysed twice, and this one stands
-- in most statements, so that it would be most of what they take on a small market.
SELECT
    series_id, date, book_value, currency, equity, contributors, 0, NULL, NULL, NULL, NULL, NULL, NULL
FROM fi_day
WHERE NOT {all_series:Bool} AND series_id IN {series:Array(UInt32)}
  AND (date, build) IN (SELECT date, max(build) FROM fi_day_build WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure)) GROUP BY date)
