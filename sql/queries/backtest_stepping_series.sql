-- The series that may have a step in backtest_steps.sql: those of mutual funds with a stated factor
-- that is not 1, and those with a discontinuity that breaks a holding. Most series have neither. So the costly
-- statement is run for few.
--   batch  number of the batch
SELECT DISTINCT series_id
FROM
(
    SELECT series_id
    FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
    WHERE adjustment_factor != 1 OR distribution_factor != 1
    UNION ALL
    SELECT series_id FROM discontinuity WHERE batch = {batch:UInt64} AND kind NOT IN ('adjustment', 'gap')
)
ORDER BY series_id
