-- The rows of summary_movers.sql, for series alive at the cutoff, from the rises and falls that the batch
-- stores of each day. The names of series, fund and manager are left out.
--   from, to  first and last day
SELECT date, list, series_id, category, family_rar, currency, price, daily_change, monthly_change, equity
FROM summary_mover
WHERE batch = {batch:UInt64} AND date BETWEEN {from:Date} AND {to:Date} AND place > 0
ORDER BY date, list, place
SETTINGS max_threads = 1 -- for so few rows, starting a second thread takes longer than it saves
