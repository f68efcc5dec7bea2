-- The days of each series of a mutual fund, with what changed.
--   SELECT date, quota, daily_return FROM funds.daily WHERE series_id = 1161378270 AND date >= '2025-01-01' ORDER BY date
--
-- changes: days
CREATE OR REPLACE VIEW funds.daily
(
    series_id        UInt32                           COMMENT 'Id of the series',
    date             Date                             COMMENT 'Day of the quota. Days after the cutoff are incomplete (published.as_of_date)',
    currency         LowCardinality(Nullable(String)) COMMENT 'Accounting currency of the day: PESOS, DOLAR, or as written where unknown',
    quota            Nullable(Float64)                COMMENT 'Value of one quota, in currency; null where the row of the day was rejected',
    equity           Nullable(Float64)                COMMENT 'Equity of the series, full units of currency',
    equity_clp       Nullable(Float64)                COMMENT 'Equity in full pesos; dollars at the official rate of the day, or the last one of the 7 days before',
    shareholders     Nullable(UInt64)                 COMMENT 'Number of investors; sums over series are not unique people',
    flow             Nullable(Float64)                COMMENT 'Net contribution of the business day that begins on the day: quotas contributed less redeemed on each calendar day up to flow_until, at the quotas of these days, full units of currency; null with flow_reason',
    flow_clp         Nullable(Float64)                COMMENT 'Net contribution in full pesos, at the rate of the day like equity_clp',
    flow_until       Nullable(Date)                   COMMENT 'Last calendar day of that business day, on which its redemptions are stated; null where flow is',
    flow_reason      LowCardinality(String)           COMMENT 'Why flow is null: incomplete_business_day (a calendar day is missing), or not_a_business_day (it is in the flow of the business day before); empty where it is known',
    previous_date    Nullable(Date)                   COMMENT 'Quote before, at most 7 days older, from which daily_return counts',
    daily_return     Nullable(Float64)                COMMENT 'Change of the quota since previous_date, fraction, adjusted by the factors that the daily file states; null across a break',
    outlier          LowCardinality(String)           COMMENT 'Why daily_return stays out of indices and rankings: cap or peers; empty where it does not',
    spike            Bool                             COMMENT 'A move of over 10 % of which at least 80 % came back with the next quote, or that return: it stays out of the family index',
    month_date       Nullable(Date)                   COMMENT 'Quote of one month earlier, at most 7 days older, from which month_return counts',
    month_return     Nullable(Float64)                COMMENT 'Change of the quota since month_date, fraction, adjusted like daily_return; null across a break',
    month_outlier    LowCardinality(String)           COMMENT 'Why month_return stays out of rankings: cap or peers; empty where it does not',
    family           LowCardinality(Nullable(String)) COMMENT 'Peer group as it was known on the day; before the first comparator that of the first one (classified_later)',
    category         LowCardinality(Nullable(String)) COMMENT 'Category as it was known on the day: money_market, fixed_income, balanced, equity, structured or other',
    classified_later Bool                             COMMENT 'True where no classification is as old as the day, so that the first later one stands in'
)
SQL SECURITY DEFINER AS
SELECT
    market.series_id AS series_id, market.date AS date, nullIf(market.currency, '') AS currency,
    toFloat64(market.price) AS quota,
    toFloat64(market.equity) AS equity, toFloat64(cuota_clp(market.currency, market.equity, dolar.value)) AS equity_clp,
    market.shareholders AS shareholders,
    market.business_flow AS flow, toFloat64(cuota_clp(market.currency, market.business_flow, dolar.value)) AS flow_clp,
    market.business_until AS flow_until, market.flow_reason AS flow_reason,
    market.previous_date AS previous_date, market.daily_change / 100 AS daily_return, market.daily_outlier AS outlier, market.spike AS spike,
    market.month_date AS month_date, market.monthly_change / 100 AS month_return, market.monthly_outlier AS month_outlier,
    market.family_rar AS family, market.category AS category, market.classified_later AS classified_later
FROM batch_market_day(batch = {batch:UInt64}, from = '1970-01-01', to = '2149-06-06') AS market
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = market.date
SETTINGS join_use_nulls = 0
COMMENT 'Series of mutual funds by day: quota, equity, flow and changes. Key: series_id, date.'
