-- The families of the days that this batch does not compute, copied from the previous batch.
INSERT INTO summary_family
    (batch, date, family_rar, currency, shown, family_display, previous_date, daily_return, daily_series, daily_share,
     monthly_return, monthly_series, monthly_share, equity, equity_clp, series, funds, family_funds, unconverted_series, newest_previous, classified_later)
SELECT
    {batch:UInt64}, date, family_rar, currency, shown, family_display, previous_date, daily_return, daily_series, daily_share,
    monthly_return, monthly_series, monthly_share, equity, equity_clp, series, funds, family_funds, unconverted_series, newest_previous, classified_later
FROM summary_family
WHERE batch = {previous:UInt64}
  AND date NOT IN (SELECT date FROM summary_day_version WHERE batch = {batch:UInt64} AND whole)
  AND (date, toString(family_rar)) NOT IN (SELECT date, toString(family_rar) FROM summary_day_version WHERE batch = {batch:UInt64} AND NOT whole)
