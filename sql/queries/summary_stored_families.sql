-- Families of the market summary and their coverage, from the families that the batch
-- stores of each day. Rows that are not shown come too, because they count in the coverage.
--   from, to  first and last day
SELECT
    date, family_rar, currency, shown, family_display,
    100 * daily_return                                                     AS daily_change,
    100 * monthly_return                                                   AS monthly_change,
    toUInt64(daily_series) AS daily_series, daily_share, toUInt64(monthly_series) AS monthly_series, monthly_share,
    toFloat64(equity) / 1000000                                            AS patrimony,
    toUInt64(series)                                                       AS series,
    toFloat64(sumIf(equity_clp, shown) OVER of_family) / 1000000           AS family_patrimony_clp,
    sumIf(summary_family.series, shown) OVER of_family                     AS family_series,
    toUInt64(family_funds)                                                 AS family_funds,
    sumIf(summary_family.series, family_rar != '') OVER of_day             AS classified,
    sumIf(summary_family.series, family_rar = '') OVER of_day              AS unclassified,
    sum(unconverted_series) OVER of_day                                    AS unconverted,
    toFloat64(sumIf(equity_clp, family_rar != '') OVER of_day) / nullIf(toFloat64(sum(equity_clp) OVER of_day), 0) AS coverage,
    max(newest_previous) OVER of_day                                       AS previous_date,
    max(shown AND summary_family.classified_later) OVER of_day             AS classified_later
FROM summary_family
WHERE batch = {batch:UInt64} AND date BETWEEN {from:Date} AND {to:Date}
WINDOW of_family AS (PARTITION BY date, family_rar), of_day AS (PARTITION BY date)
ORDER BY date, family_patrimony_clp DESC NULLS LAST, family_rar, equity_clp DESC NULLS LAST, currency DESC
SETTINGS max_threads = 1 -- for so few rows, starting a second thread takes longer than it saves
