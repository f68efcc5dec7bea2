-- Rises or falls of a day: by the daily or the monthly change, the largest first.
SELECT series_id, fund_id, run, serie, fund, manager, category, family_rar, currency, price, daily_change, monthly_change, equity
FROM
(
    SELECT *, if({period:String} = 'daily', daily_change, monthly_change) AS ranked
    FROM mover_of(batch = {batch:UInt64}, date = {date:Date})
)
WHERE if({direction:String} = 'up', ranked > 0, ranked < 0)
ORDER BY if({direction:String} = 'up', -ranked, ranked), series_id
LIMIT {top:UInt32}
