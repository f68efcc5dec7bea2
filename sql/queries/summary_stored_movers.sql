-- The largest rises and falls of each day among the series alive at the cutoff, as the batch stores them. The names of
-- series, fund and manager are left out.
--   from, to  first and last day
SELECT date, list, series_id, category, family_rar, currency, price, daily_change, monthly_change, equity
FROM summary_mover
WHERE batch = {batch:UInt64} AND date BETWEEN {from:Date} AND {to:Date} AND place > 0
ORDER BY date, list, place
SETTINGS max_threads = 1 -- for so few rows, starting a second thread takes longer than it saves
