-- The rises and falls of the days that this batch does not compute, copied from the previous batch.
INSERT INTO summary_mover
    (batch, date, list, place, place_then, series_id, fund_id, category, family_rar, currency, price, daily_change, monthly_change, equity, equity_clp)
SELECT {batch:UInt64}, date, list, place, place_then, series_id, fund_id, category, family_rar, currency, price, daily_change, monthly_change, equity, equity_clp
FROM summary_mover
WHERE batch = {previous:UInt64} AND date NOT IN (SELECT date FROM summary_day_version WHERE batch = {batch:UInt64})
