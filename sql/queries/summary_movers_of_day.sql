-- The same as summary_movers.sql for one day and for series alive at the cutoff, without the names
-- of series, fund and manager (docs/decisions/0047).
--   batch  number of the batch
--   date   the day
--   build  the build of the day (days_of_batch.sql)
--   dolar  the dólar of the day; null: none
--   top    length of each list
SELECT list, series_id, category, family_rar, currency, price, daily, monthly, equity
FROM
(
    SELECT
        *,
        arrayJoin([('gainers_daily',   if(leads_daily, daily, NULL)),     ('losers_daily',   if(leads_daily, -daily, NULL)),
                   ('gainers_monthly', if(leads_monthly, monthly, NULL)), ('losers_monthly', if(leads_monthly, -monthly, NULL))]) AS entry,
        entry.1 AS list,
        entry.2 AS extent
    FROM
    (
        SELECT
            *,
            daily IS NOT NULL AND row_number() OVER (PARTITION BY fund_id ORDER BY daily IS NULL, equity_clp DESC, series_id) = 1     AS leads_daily,
            monthly IS NOT NULL AND row_number() OVER (PARTITION BY fund_id ORDER BY monthly IS NULL, equity_clp DESC, series_id) = 1 AS leads_monthly
        FROM
        (
            SELECT
                series_id, fund_id, category, family_rar, currency, price, equity,
                if(daily_outlier = '', daily_change, NULL)                    AS daily,
                if(monthly_outlier = '', monthly_change, NULL)                AS monthly,
                cuota_clp(currency, equity, {dolar:Nullable(Decimal(18, 6))}) AS equity_clp
            FROM market_day
            INNER JOIN (SELECT series_id, fund_id FROM screener WHERE batch = {batch:UInt64}) AS alive USING (series_id)
            WHERE date = {date:Date} AND build = {build:UInt64} AND equity_clp >= 100000000
        )
        WHERE daily IS NOT NULL OR monthly IS NOT NULL
    )
)
WHERE extent > 0
ORDER BY list, extent DESC, series_id
LIMIT {top:UInt32} BY list
SETTINGS max_threads = 1 -- for so few rows, starting a second thread takes longer than it saves
