-- Families of the market summary and their coverage, as summary_stored_families.sql, but among every series that existed on
-- the day, also those that have closed since (RULES 7). They are computed when they are asked for.
--   from, to  first and last day
WITH families AS
(
    SELECT changes.*, cuota_clp(currency, equity, dolar.value) AS equity_clp
    FROM batch_family_summary(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}, current_only = false) AS changes
    LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = changes.date
)
SELECT
    families.date AS date, family_rar, currency, true AS shown, family_display,
    100 * daily_return                                                     AS daily_change,
    100 * monthly_return                                                   AS monthly_change,
    length(eligible) AS daily_series, cuota_equity_share(eligible, equity) AS daily_share,
    length(monthly) AS monthly_series, cuota_equity_share(monthly, equity) AS monthly_share,
    toFloat64(equity) / 1000000                                            AS patrimony,
    toUInt64(series)                                                       AS series,
    toFloat64(sum(equity_clp) OVER of_family) / 1000000                    AS family_patrimony_clp,
    sum(families.series) OVER of_family                                    AS family_series,
    length(arrayDistinct(arrayFlatten(groupArray(runs) OVER of_family)))   AS family_funds,
    covered.classified AS classified, covered.unclassified AS unclassified, covered.unconverted AS unconverted,
    covered.coverage AS coverage, covered.newest_previous AS previous_date, covered.later AS classified_later
FROM families
INNER JOIN
(
    SELECT
        stands_on,
        countIf(family_rar IS NOT NULL)  AS classified,
        countIf(family_rar IS NULL)      AS unclassified,
        countIf(clp IS NULL)             AS unconverted,
        toFloat64(sumIf(clp, family_rar IS NOT NULL)) / nullIf(toFloat64(sum(clp)), 0) AS coverage,
        maxIf(previous_date, quoted_on = stands_on) AS newest_previous,
        max(classified_later AND family_rar IS NOT NULL AND currency IN ('PESOS', 'DOLAR')) AS later
    FROM
    (
        SELECT stands_on, date AS quoted_on, currency, family_rar, classified_later, previous_date,
               cuota_clp(currency, equity, dolar.value) AS clp
        FROM batch_market_standing(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS standing
        LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = standing.stands_on
        WHERE price IS NOT NULL
    )
    GROUP BY stands_on
) AS covered ON covered.stands_on = families.date
WINDOW of_family AS (PARTITION BY families.date, family_rar)
ORDER BY date, family_patrimony_clp DESC NULLS LAST, family_rar, equity_clp DESC NULLS LAST, currency DESC
