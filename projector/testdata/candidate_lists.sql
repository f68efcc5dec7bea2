-- The lists of candidate_day as a batch sees them, of every day. No statement of the program reads them so:
-- sql/queries/backtest_candidates.sql returns those of all builds.
--   batch  number of the batch
SELECT date, series_ids, void_ids, dollar_ids, unknown_ids, earlier.series_id AS earlier_ids, earlier.date AS earlier_dates
FROM candidate_day
WHERE (date, build) IN
(
    SELECT date, max(build) FROM market_day_version
    WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
    GROUP BY date
)
