-- Each family in each currency on the days that this batch builds, between {from}
-- and {to}.
INSERT INTO family_day
    (date, family_rar, currency, build, family_display, previous_date, daily_return, chained_return, eligible_series,
     monthly_return, equity, series, funds)
SELECT
    date, family_rar, currency, {batch:UInt64}, family_display, previous_date, daily_return, chained_return, eligible_series,
    monthly_return, equity, series, length(runs)
FROM family_change_of(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}, current_only = false)
WHERE date IN (SELECT date FROM market_build WHERE build = {batch:UInt64})
