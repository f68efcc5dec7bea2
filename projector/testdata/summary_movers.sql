-- The ten greatest rises and falls of some days, by daily and by monthly change (RULES 7): four lists, each with the
-- largest change first, equal ones by id. sql/projections/85_summary_mover.sql stores them, and finds the series that
-- stands for a fund in another way: here the series are numbered by their equity.
--   batch         number of the batch
--   from, to      first and last day
--   current_only  only series alive at the cutoff
SELECT date, list, series_id, fund_id, category, family_rar, currency, price, daily_change, monthly_change, equity
FROM
(
    SELECT
        *,
        arrayJoin([('gainers_daily',   if(leads_daily, daily_change, NULL)),     ('losers_daily',   if(leads_daily, -daily_change, NULL)),
                   ('gainers_monthly', if(leads_monthly, monthly_change, NULL)), ('losers_monthly', if(leads_monthly, -monthly_change, NULL))]) AS entry,
        entry.1 AS list,
        entry.2 AS extent
    FROM
    (
        SELECT
            *,
            daily_change IS NOT NULL
                AND row_number() OVER (PARTITION BY date, fund_id ORDER BY daily_change IS NULL, equity_clp DESC, series_id) = 1   AS leads_daily,
            monthly_change IS NOT NULL
                AND row_number() OVER (PARTITION BY date, fund_id ORDER BY monthly_change IS NULL, equity_clp DESC, series_id) = 1 AS leads_monthly
        FROM
        (
            SELECT
                market.date AS date, series.series_id AS series_id, series.fund_id AS fund_id,
                market.category AS category, market.family_rar AS family_rar, market.currency AS currency, market.price AS price,
                if(market.daily_outlier = '', market.daily_change, NULL)     AS daily_change,
                if(market.monthly_outlier = '', market.monthly_change, NULL) AS monthly_change,
                market.equity AS equity,
                cuota_clp(market.currency, market.equity, dolar.value)       AS equity_clp
            FROM batch_market_day(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS market
            INNER JOIN (SELECT * FROM series WHERE batch = {batch:UInt64}) AS series ON series.series_id = market.series_id
            LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = market.date
            WHERE (NOT {current_only:Bool} OR market.series_id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64})))
              AND equity_clp >= 100000000
        )
        WHERE daily_change IS NOT NULL OR monthly_change IS NOT NULL
    )
    WHERE leads_daily OR leads_monthly
)
WHERE extent > 0
ORDER BY date, list, extent DESC, series_id
LIMIT 10 BY date, list
SETTINGS join_use_nulls = 0
