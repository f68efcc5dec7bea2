-- What each family did in each currency on some days (RULES 7): the mean change of
-- its series, weighted by the equity that they opened with. A series counts on a
-- day if it has a quote on the day and on the last day before on which any series
-- of its family was quoted, at most 7 days earlier, opened with equity, and its
-- change is neither null nor an outlier. What the family holds is told by the rows
-- that stand for its series on the day, whether quoted on it or not.
-- With current_only, only series alive at the batch's cutoff are looked at.
--   SELECT * FROM family_change_of(batch = 7, from = '2025-07-20', to = '2025-07-20', current_only = true)
CREATE OR REPLACE VIEW family_change_of AS
WITH
    days AS
    (
        SELECT market.*
        FROM market_day_of(batch = {batch:UInt64}, from = toDate({from:Date}) - 7, to = {to:Date}) AS market
        WHERE family_rar IS NOT NULL AND currency IN ('PESOS', 'DOLAR') AND price IS NOT NULL
          AND (NOT {current_only:Bool} OR series_id IN (SELECT series_id FROM universe_of(batch = {batch:UInt64})))
    ),
    grouped AS
    (
        SELECT
            date, assumeNotNull(family_rar) AS family_rar, currency,
            -- Arrays in the order of ids: float sums must not depend on the order of rows.
            arraySort(groupArrayIf(
                (series_id, assumeNotNull(toFloat64(previous_equity)), assumeNotNull(daily_change) / 100, assumeNotNull(previous_date), spike),
                previous_date IS NOT NULL AND previous_equity > 0 AND daily_change IS NOT NULL AND daily_outlier = '')) AS daily,
            arraySort(groupArrayIf(
                (series_id, assumeNotNull(toFloat64(month_equity)), assumeNotNull(monthly_change) / 100),
                month_equity > 0 AND monthly_change IS NOT NULL AND monthly_outlier = '')) AS monthly
        FROM days
        GROUP BY date, family_rar, currency
    ),
    opened AS
    (
        SELECT
            *,
            lagInFrame(date, 1, toDate(0)) OVER (PARTITION BY family_rar, currency ORDER BY date ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS quoted_before,
            if(quoted_before != toDate(0) AND date - quoted_before <= 7, quoted_before, NULL) AS opening_date
        FROM grouped
    ),
    held AS
    (
        SELECT
            stands_on AS date, assumeNotNull(standing.family_rar) AS family_rar, standing.currency AS currency,
            min(standing.family_display) AS family_display,
            sum(toDecimal128(ifNull(standing.equity, 0), 4)) AS equity,
            count() AS series,
            arraySort(groupUniqArray(registered.run)) AS runs
        FROM market_standing_of(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS standing
        INNER JOIN (SELECT id, run FROM registry WHERE kind = 'series') AS registered ON registered.id = standing.series_id
        WHERE standing.family_rar IS NOT NULL AND standing.currency IN ('PESOS', 'DOLAR') AND standing.price IS NOT NULL
          AND (NOT {current_only:Bool} OR standing.series_id IN (SELECT series_id FROM universe_of(batch = {batch:UInt64})))
        GROUP BY date, family_rar, currency
    )
SELECT
    date, family_rar, currency, family_display,
    opening_date AS previous_date,
    empty(eligible) ? NULL : arraySum(m -> m.2 * m.3, eligible) / arraySum(m -> m.2, eligible) AS daily_return,
    empty(chained) ? NULL : arraySum(m -> m.2 * m.3, chained) / arraySum(m -> m.2, chained)    AS chained_return,
    length(eligible) AS eligible_series,
    empty(monthly) ? NULL : arraySum(m -> m.2 * m.3, monthly) / arraySum(m -> m.2, monthly)    AS monthly_return,
    equity, series, runs
FROM held
LEFT JOIN
(
    SELECT
        *,
        arrayFilter(m -> ifNull(m.4 = opening_date, false), daily) AS eligible,
        arrayFilter(m -> NOT m.5, eligible)                        AS chained
    FROM opened
    WHERE date >= {from:Date}
) AS moved USING (date, family_rar, currency)
