-- Managers by month: equity, net contributions and share of the market of mutual funds.
--   SELECT month, share FROM funds.manager_monthly WHERE manager_id = 1208161246 ORDER BY month
--
-- The equity of a month is that of its last complete day, or if it has none, of its last day with
-- data up to the cutoff; 0 for a manager that left before it. Contributions are those of all days of
-- the month, of the newest month up to the cutoff, which is its equity_date.
CREATE OR REPLACE VIEW funds.manager_monthly
(
    manager_id          UInt32            COMMENT 'Id of the manager',
    month               Date              COMMENT 'Last day of the month; the newest month may not be over',
    manager             String            COMMENT 'Name of the manager',
    equity_date         Date              COMMENT 'Last complete day of the month, else its last day with data, of which equity_clp is',
    equity_clp          Nullable(Float64) COMMENT 'Equity of its series in full pesos, those that can be converted; 0 without any series; dollars at the official rate of equity_date, or the last one of the 7 days before',
    unconverted_series  UInt64            COMMENT 'Number of series whose equity can not be converted and is left out',
    share               Nullable(Float64) COMMENT 'Part of the equity of all managers on equity_date, fraction',
    flow_clp            Nullable(Float64) COMMENT 'Net contribution of the month in full pesos, of the newest month up to equity_date: quotas contributed less redeemed on each day, at the rates of these days; null where none is known',
    flow_days           UInt64            COMMENT 'Number of days of series whose contributions are in flow_clp',
    shareholders        UInt64            COMMENT 'Number of investors on equity_date, summed over series: not unique people',
    series              UInt32            COMMENT 'Number of series with equity on equity_date',
    funds               UInt32            COMMENT 'Number of their funds'
)
SQL SECURITY DEFINER AS
WITH
    managers AS (parts.managers_with_rut),
    month_days AS
    (
        SELECT toLastDayOfMonth(date) AS month, if(max(complete), maxIf(date, complete), max(date)) AS equity_date
        FROM market_completeness
        WHERE batch = {batch:UInt64} AND has_data
          AND date <= (SELECT max(date) FROM market_completeness WHERE batch = {batch:UInt64} AND complete)
        GROUP BY month
    ),
    held AS
    (
        SELECT
            days.manager_rut AS manager_rut, toLastDayOfMonth(days.date) AS month,
            sum(days.equity_clp) AS equity_clp, sumIf(days.series, days.equity_clp IS NULL) AS unconverted_series,
            sum(days.shareholders) AS shareholders, sum(days.series) AS series, length(arrayDistinct(arrayFlatten(groupArray(days.runs)))) AS funds
        FROM batch_manager_day(batch = {batch:UInt64}, from = '1970-01-01', to = '2149-06-06') AS days
        WHERE days.date IN (SELECT equity_date FROM month_days)
        GROUP BY manager_rut, month
    ),
    moved AS
    (
        SELECT
            market.manager_rut AS manager_rut, toLastDayOfMonth(market.date) AS month,
            sum(cuota_clp(market.currency, market.flow, dolar.value)) AS flow_clp,
            count(cuota_clp(market.currency, market.flow, dolar.value)) AS flow_days
        FROM batch_market_day(batch = {batch:UInt64}, from = '1970-01-01', to = '2149-06-06') AS market
        LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = market.date
        WHERE market.date <= (SELECT max(equity_date) FROM month_days)
        GROUP BY manager_rut, month
    )
SELECT
    managers.manager_id AS manager_id, present.month AS month, managers.name AS manager, month_days.equity_date AS equity_date,
    -- A manager that left within the month has contributions and no equity.
    if(held.manager_rut = 0, 0, toFloat64(held.equity_clp)) AS equity_clp, held.unconverted_series AS unconverted_series,
    toFloat64(ifNull(held.equity_clp, 0)) / toFloat64(nullIf(sum(held.equity_clp) OVER (PARTITION BY present.month), 0)) AS share,
    toFloat64(moved.flow_clp) AS flow_clp, moved.flow_days AS flow_days,
    held.shareholders AS shareholders, held.series AS series, held.funds AS funds
FROM (SELECT manager_rut, month FROM held UNION DISTINCT SELECT manager_rut, month FROM moved) AS present
INNER JOIN managers ON managers.manager_rut = present.manager_rut
INNER JOIN month_days ON month_days.month = present.month
LEFT JOIN held ON held.manager_rut = present.manager_rut AND held.month = present.month
LEFT JOIN moved ON moved.manager_rut = present.manager_rut AND moved.month = present.month
SETTINGS join_use_nulls = 0
COMMENT 'Managers by month: equity, net contributions and share of the mutual funds. Key: manager_id, month.'
