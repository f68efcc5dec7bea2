-- Each family in each currency on some days (RULES 7). daily has the daily changes of its
-- series that are quoted on the day itself, if the changes are known and no outliers, each
-- as (series, equity on the previous day, fraction, RUN, equity, previous day, whether a spike).
-- Which of these count depends on the day since which the reader counts. monthly has the monthly
-- changes in the same way, as (series, equity one month earlier, fraction, RUN, equity).
-- quoted is the number of series with a quote on the day. If it is 0, there are no changes. The
-- other columns have the equity, series and funds of the rows that count for its series on the
-- day, whether the series are quoted on it or not.
-- If current_only is set, only series alive at the batch's cutoff are included.
--   SELECT * FROM batch_family_change(batch = 7, from = '2025-07-20', to = '2025-07-20', current_only = true)
CREATE OR REPLACE VIEW batch_family_change AS
SELECT
    date, family_rar, currency, family_display,
    quoted, daily, monthly,
    cuota_covered_mean(monthly, equity) AS monthly_return,
    equity, series, runs
FROM
(
    SELECT
        stands_on AS date, assumeNotNull(family_rar) AS family_rar, currency,
        min(family_display) AS family_display,
        countIf(quoted_on = stands_on) AS quoted,
        -- Arrays are sorted by id, because sums of floats depend on the order.
        arraySort(groupArrayIf(
            (series_id, assumeNotNull(toFloat64(previous_equity)), assumeNotNull(daily_change) / 100, run, held,
             assumeNotNull(previous_date), spike),
            quoted_on = stands_on AND previous_date IS NOT NULL AND previous_equity > 0 AND daily_change IS NOT NULL AND daily_outlier = '')) AS daily,
        arraySort(groupArrayIf(
            (series_id, assumeNotNull(toFloat64(month_equity)), assumeNotNull(monthly_change) / 100, run, held),
            quoted_on = stands_on AND month_equity > 0 AND monthly_change IS NOT NULL AND monthly_outlier = '')) AS monthly,
        sum(held) AS equity,
        count() AS series,
        arraySort(groupUniqArray(run)) AS runs
    FROM
    (
        SELECT * EXCEPT (date, equity), date AS quoted_on, toDecimal128(ifNull(equity, 0), 4) AS held
        FROM batch_market_standing(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date})
        WHERE family_rar IS NOT NULL AND currency IN ('PESOS', 'DOLAR') AND price IS NOT NULL
          AND (NOT {current_only:Bool} OR series_id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64})))
    ) AS standing
    INNER JOIN (SELECT id, run FROM registry WHERE kind = 'series') AS registered ON registered.id = standing.series_id
    GROUP BY stands_on, standing.family_rar, currency
)
SETTINGS join_use_nulls = 0
