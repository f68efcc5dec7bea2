-- The quotes of some days with their changes since the previous quote and since one month
-- earlier, before outliers are judged. market_day is built from this view. Changes are
-- adjusted by the factors that the cartola states (RULES 1: the gross return of a day is VC
-- × reparto × ajuste / previous VC). A change is null if a break lies in between: a row of
-- discontinuity other than an adjustment, or a factor that RULES 1 does not accept (RULES
-- 7). It is also null in an unknown currency. An earlier equity is null if it is in another
-- currency than the day's. The product of no factors is 1, which arrayProduct of an empty
-- array is not. It covers the series in the list, or every series of the mutual funds if
-- all_series is set (20_batch_series_day).
--
-- A row without a valid quota is void. It is not a quote, so the previous quote is the last
-- row before it that is one. The void row stays in the result, with the values before it
-- and without a quota or a change. If it states no currency, it has that of the previous
-- quote, which is at most 31 days older, since a longer gap breaks the series.
--   SELECT * FROM batch_market_change(batch = 7, from = '2025-01-01', to = '2025-12-31', series = [], all_series = true)
CREATE OR REPLACE VIEW batch_market_change AS
WITH
    days AS
    (
        -- All rows that are needed lie between two months before the first day and a week
        -- after the last day.
        SELECT *, ifNull(quota > 0, false) AS is_quote
        FROM batch_series_day(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = {all_series:Bool})
        WHERE date BETWEEN toDate({from:Date}) - 62 AND toDate({to:Date}) + 7
    ),
    breaks AS
    (
        -- Days before which a series breaks. A void row may be on such a day.
        SELECT series_id, groupArray(date) AS broken_on
        FROM batch_discontinuity_quote(batch = {batch:UInt64})
        WHERE date BETWEEN toDate({from:Date}) - 62 AND toDate({to:Date}) + 7
        GROUP BY series_id
    ),
    factors AS
    (
        -- In the order of days, because a product of floats depends on it.
        SELECT
            series_id,
            arraySort(groupArray((date, toFloat64(ifNull(adjustment_factor, 1)) * toFloat64(ifNull(distribution_factor, 1))))) AS list
        FROM days
        WHERE is_quote AND (ifNull(adjustment_factor != 1, 0) OR ifNull(distribution_factor != 1, 0))
        GROUP BY series_id
    ),
    followed AS
    (
        -- Each row, void or not, with the next row and the previous quote.
        SELECT
            series_id, date, is_quote, manager_rut, equity, shareholders, units_contributed, units_redeemed,
            if(is_quote, quota, NULL)                     AS quota,
            toFloat64(ifNull(adjustment_factor, 1))       AS adjustment,
            toFloat64(ifNull(distribution_factor, 1))     AS distribution,
            anyLastIf(date, is_quote) OVER earlier        AS previous_date, -- toDate(0) where there is none
            anyLastIf(days.quota, is_quote) OVER earlier  AS previous_quota,
            anyLastIf(days.currency, is_quote) OVER earlier AS previous_currency,
            anyLastIf(tuple(days.equity), is_quote) OVER earlier.1 AS previous_equity,
            if(NOT is_quote AND days.currency = '' AND date - previous_date <= 31, previous_currency, days.currency) AS currency,
            leadInFrame(date, 1, toDate('2149-06-06')) OVER (PARTITION BY series_id ORDER BY date ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS next_date
        FROM days
        WINDOW earlier AS (PARTITION BY series_id ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ),
    judged AS
    (
        SELECT
            followed.*,
            previous_date != toDate(0) AND date - previous_date <= 7 AS has_previous,
            is_quote AND
               (NOT cuota_factors_believed(quota, adjustment, distribution, previous_quota)
                OR arrayExists(day -> day > previous_date AND day <= date, broken_on)) AS broken
        FROM followed
        LEFT JOIN breaks USING (series_id)
    ),
    changed AS
    (
        SELECT
            *,
            if(has_previous AND currency IN ('PESOS', 'DOLAR') AND NOT broken,
               toFloat64(quota) / toFloat64(previous_quota) * (adjustment * distribution) - 1,
               NULL) AS change
        FROM judged
    ),
    paired AS
    (
        SELECT
            today.* EXCEPT (month_target),
            month.date AS month_date, month.quota AS month_quota, month.equity AS month_equity, month.currency AS month_currency
        FROM
        (
            SELECT
                *,
                subtractMonths(date, 1)    AS month_target,
                lagInFrame(change)  OVER beside AS change_before,
                leadInFrame(change) OVER beside AS change_after,
                maxIf(date, broken) OVER so_far AS last_break
            FROM changed
            WINDOW
                -- Compares quotes with quotes only, not with void rows.
                beside AS (PARTITION BY series_id, is_quote ORDER BY date ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING),
                so_far AS (PARTITION BY series_id, is_quote ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
        ) AS today
        ASOF LEFT JOIN (SELECT series_id, date, quota, equity, currency FROM days WHERE is_quote) AS month
            ON month.series_id = today.series_id AND month.date <= today.month_target
        WHERE today.date BETWEEN {from:Date} AND {to:Date}
    )
SELECT
    series_id, date, next_date,
    manager_rut, currency, quota, equity, shareholders,
    toFloat64(units_contributed - units_redeemed) * toFloat64(quota) AS flow,
    if(has_previous, previous_date, NULL)   AS previous_date_used,
    if(has_previous AND previous_currency = currency, previous_equity, NULL) AS previous_equity_used,
    change AS daily_return,
    month_date != toDate(0) AND subtractMonths(date, 1) - month_date <= 7 AS has_month,
    if(has_month, month_date, NULL)   AS month_date_used,
    if(has_month AND month_currency = currency, month_equity, NULL) AS month_equity_used,
    if(has_month AND currency IN ('PESOS', 'DOLAR')
           AND last_break <= month_date,
       toFloat64(quota) / toFloat64(month_quota)
           * arrayProduct(arrayPushFront(arrayMap(f -> if(f.1 > month_date AND f.1 <= date, f.2, 1), list), 1)) - 1,
       NULL) AS monthly_return,
    -- A spike is a change of over 10 % of which at least 80 % came back with the
    -- next quote. The change and its return both stay out of the index.
    ifNull(abs(change) > 0.1 AND -change_after * (1 + change) / change >= 0.8, false)               AS spikes,
    ifNull(abs(change_before) > 0.1 AND -change * (1 + change_before) / change_before >= 0.8, false) AS unspikes,
    spikes OR unspikes AS spike
FROM paired
LEFT JOIN factors USING (series_id)
SETTINGS join_use_nulls = 0
