-- The greatest rises and falls of some days, by daily and by monthly change: four lists, each
-- with the largest change first, equal ones by id.
--   from, to      first and last day
--   top           length of each list
--   current_only  only series alive at the cutoff
SELECT date, list, series_id, fund_id, run, serie, fund, manager, category, family_rar, currency, price, daily_change, monthly_change, equity
FROM
(
    SELECT
        *,
        arrayJoin([('gainers_daily',   if(leads_daily, daily_change, NULL)),     ('losers_daily',   if(leads_daily, -daily_change, NULL)),
                   ('gainers_monthly', if(leads_monthly, monthly_change, NULL)), ('losers_monthly', if(leads_monthly, -monthly_change, NULL))]) AS entry,
        entry.1 AS list,
        entry.2 AS extent
    FROM batch_mover(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}, current_only = {current_only:Bool})
    WHERE leads_daily OR leads_monthly
)
WHERE extent > 0
ORDER BY date, list, extent DESC, series_id
LIMIT {top:UInt32} BY date, list
