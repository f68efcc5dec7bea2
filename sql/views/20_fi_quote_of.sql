-- The days of fi_day_of in the columns of series_day_of, so that one rule can read both.
-- The quote is the book value. A column that investment funds do not publish is null.
--   SELECT date, quota FROM fi_quote_of(batch = 7, series = [4047362302], all_series = false) ORDER BY date
CREATE OR REPLACE VIEW fi_quote_of AS
SELECT
    series_id, date, book_value AS quota, currency, equity, contributors AS shareholders, 0 AS manager_rut,
    NULL AS units_outstanding, NULL AS units_contributed, NULL AS units_redeemed, NULL AS costs,
    NULL AS adjustment_factor, NULL AS distribution_factor
FROM fi_day
WHERE (date, build) IN (SELECT date, max(build) FROM fi_day_build WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure)) GROUP BY date)
  AND ({all_series:Bool} OR series_id IN {series:Array(UInt32)})
