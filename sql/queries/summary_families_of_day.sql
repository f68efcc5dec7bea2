-- The rows of summary_families.sql and of summary_classification.sql for one day on which no index has
-- a step that passes over days. It reads one table, and gets as arguments what else counts, so that
-- ClickHouse plans it in a fraction of the time (docs/decisions/0047). Series without a family, and
-- those in other currencies, come as families of their own, which market-summary does not show.
--   batch                            number of the batch
--   date                             the day
--   days, builds                     the days from seven before, and the build of each (days_of_batch.sql)
--   dolar                            the dólar of the day; null: none
--   families, currencies, openings   the indices of the day, and the day from which each one's change counts
SELECT
    toDate({date:Date}) AS date, ifNull(family, '') AS family_rar, currency, family_display,
    family IS NOT NULL AND currency IN ('PESOS', 'DOLAR') AS shown,
    100 * cuota_weighted_mean(eligible) AS daily_change,
    100 * cuota_weighted_mean(monthly)  AS monthly_change,
    toFloat64(equity) / 1000000         AS patrimony,
    toUInt64(standing_series)           AS series,
    toFloat64(sumIf(equity_clp, shown) OVER of_family) / 1000000           AS family_patrimony_clp,
    sumIf(series, shown) OVER of_family                                    AS family_series,
    length(arrayDistinct(arrayFlatten(groupArrayIf(funds, shown) OVER of_family))) AS family_funds,
    sumIf(standing_series, family IS NOT NULL) OVER market                 AS classified,
    sumIf(standing_series, family IS NULL) OVER market                     AS unclassified,
    sum(unconverted_series) OVER market                                    AS unconverted,
    toFloat64(sumIf(standing_clp, family IS NOT NULL) OVER market) / nullIf(toFloat64(sum(standing_clp) OVER market), 0) AS coverage,
    max(previous) OVER market                                              AS previous_date,
    max(shown AND later) OVER market                                       AS classified_later
FROM
(
    SELECT
        family_rar AS family, currency,
        min(rows.family_display) AS family_display,
        arraySort(groupArrayIf(
            (series_id, assumeNotNull(toFloat64(previous_equity)), assumeNotNull(daily_change) / 100),
            date = {date:Date} AND previous_date = arrayFirst(o -> o.1 = family_rar AND o.2 = currency, arrayZip({families:Array(String)}, {currencies:Array(String)}, {openings:Array(Date)})).3
                AND previous_equity > 0 AND daily_change IS NOT NULL AND daily_outlier = '')) AS eligible,
        arraySort(groupArrayIf(
            (series_id, assumeNotNull(toFloat64(month_equity)), assumeNotNull(monthly_change) / 100),
            date = {date:Date} AND month_equity > 0 AND monthly_change IS NOT NULL AND monthly_outlier = '')) AS monthly,
        sum(toDecimal128(ifNull(row_equity, 0), 4))                       AS equity,
        cuota_clp(currency, equity, {dolar:Nullable(Decimal(18, 6))})     AS equity_clp,
        count()                                                           AS standing_series,
        groupUniqArray(fund_id)                                           AS funds,
        countIf(row_clp IS NULL)                                          AS unconverted_series,
        sum(row_clp)                                                      AS standing_clp,
        maxIf(previous_date, date = {date:Date})                          AS previous,
        max(classified_later)                                             AS later
    FROM
    (
        SELECT
            series_id, date, currency, family_rar, family_display, previous_date, previous_equity, daily_change, daily_outlier,
            month_equity, monthly_change, monthly_outlier, classified_later, equity AS row_equity, cuota_clp(currency, equity, {dolar:Nullable(Decimal(18, 6))}) AS row_clp
        FROM market_day
        WHERE date BETWEEN toDate({date:Date}) - 7 AND {date:Date} AND stands_until >= {date:Date}
          AND (date, build) IN arrayZip({days:Array(Date)}, {builds:Array(UInt64)})
          AND price IS NOT NULL
    ) AS rows
    INNER JOIN (SELECT series_id, fund_id FROM screener WHERE batch = {batch:UInt64}) AS alive USING (series_id)
    GROUP BY family_rar, currency
)
WINDOW of_family AS (PARTITION BY family), market AS ()
ORDER BY family_patrimony_clp DESC NULLS LAST, family_rar, equity_clp DESC NULLS LAST, currency DESC
SETTINGS max_threads = 1 -- for so few rows, starting a second thread takes longer than it saves
