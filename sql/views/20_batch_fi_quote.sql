-- The days of batch_fi_day in the columns of batch_series_day, so that one rule can read both.
-- The quote is the book value. A column that investment funds do not publish is null.
--   SELECT date, quota FROM batch_fi_quote(batch = 7, series = [4047362302], all_series = false) ORDER BY date
CREATE OR REPLACE VIEW batch_fi_quote AS
SELECT
    series_id, date, book_value AS quota, currency, equity, contributors AS shareholders, 0 AS manager_rut,
    NULL AS units_outstanding, NULL AS units_contributed, NULL AS units_redeemed, NULL AS costs,
    NULL AS adjustment_factor, NULL AS distribution_factor
FROM fi_day
WHERE (date, build) IN parts.newest_builds(list: fi_day_version)
  AND ({all_series:Bool} OR series_id IN {series:Array(UInt32)})
