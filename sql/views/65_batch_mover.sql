-- The series that may appear among the rises and falls of some days (RULES 7). Their equity
-- is worth at least 100 million pesos. Of each fund, the series with most equity is shown,
-- among those whose change is known and no outlier. This is decided separately for daily and
-- for monthly changes (leads_daily and leads_monthly). A change that is an outlier is null.
-- If current_only is set, only series alive at the batch's cutoff are included.
--   SELECT * FROM batch_mover(batch = 7, from = '2025-07-20', to = '2025-07-20', current_only = true) WHERE leads_daily ORDER BY daily_change DESC LIMIT 10
CREATE OR REPLACE VIEW batch_mover AS
SELECT
    *,
    daily_change IS NOT NULL
        AND row_number() OVER (PARTITION BY date, fund_id ORDER BY daily_change IS NULL, equity_clp DESC, series_id) = 1   AS leads_daily,
    monthly_change IS NOT NULL
        AND row_number() OVER (PARTITION BY date, fund_id ORDER BY monthly_change IS NULL, equity_clp DESC, series_id) = 1 AS leads_monthly
FROM
(
    SELECT
        market.date AS date, series.series_id AS series_id, series.fund_id AS fund_id, series.run AS run, series.serie AS serie,
        funds.name AS fund, funds.manager AS manager,
        market.category AS category, market.family_rar AS family_rar, market.currency AS currency, market.price AS price,
        if(market.daily_outlier = '', market.daily_change, NULL)     AS daily_change,
        if(market.monthly_outlier = '', market.monthly_change, NULL) AS monthly_change,
        market.equity AS equity,
        cuota_clp(market.currency, market.equity, dolar.value)       AS equity_clp
    FROM batch_market_day(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS market
    INNER JOIN (SELECT * FROM series WHERE batch = {batch:UInt64}) AS series ON series.series_id = market.series_id
    INNER JOIN (SELECT * FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = series.fund_id
    LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = market.date
    WHERE (NOT {current_only:Bool} OR market.series_id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64})))
      AND equity_clp >= 100000000
)
WHERE daily_change IS NOT NULL OR monthly_change IS NOT NULL
SETTINGS join_use_nulls = 0
