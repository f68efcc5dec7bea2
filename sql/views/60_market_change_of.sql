-- The quotes of some days with what they changed since the day before and since
-- one month earlier, before anything is judged: base of market_day. Changes are
-- factor-adjusted where the cartola states factors (RULES 1: gross return of a
-- day is VC × reparto × ajuste / VC before), and null where a break other than
-- an adjustment lies between (RULES 7). The product of no factors is 1, which
-- arrayProduct of an empty array is not. An empty list of series means all of the
-- mutual funds (20_series_day_of).
--   SELECT * FROM market_change_of(batch = 7, from = '2025-01-01', to = '2025-12-31', series = [])
CREATE OR REPLACE VIEW market_change_of AS
WITH
    quotes AS
    (
        -- Two months before the first day, and a week after the last one, hold
        -- every quote that is looked at.
        SELECT *
        FROM series_day_of(batch = {batch:UInt64}, series = {series:Array(UInt32)})
        WHERE date BETWEEN toDate({from:Date}) - 62 AND toDate({to:Date}) + 7
    ),
    factors AS
    (
        SELECT
            series_id,
            groupArray((date, toFloat64(ifNull(adjustment_factor, 1)) * toFloat64(ifNull(distribution_factor, 1)))) AS list
        FROM quotes
        WHERE ifNull(adjustment_factor != 1, 0) OR ifNull(distribution_factor != 1, 0)
        GROUP BY series_id
    ),
    breaks AS
    (
        SELECT series_id, groupArray(date) AS dates
        FROM series_break
        WHERE batch = {batch:UInt64} AND kind != 'adjustment' AND date BETWEEN toDate({from:Date}) - 62 AND {to:Date}
        GROUP BY series_id
    ),
    paired AS
    (
        SELECT
            today.series_id AS series_id, today.date AS date, today.manager_rut AS manager_rut, today.currency AS currency,
            today.quota AS quota, today.equity AS equity, today.shareholders AS shareholders,
            today.units_contributed AS units_contributed, today.units_redeemed AS units_redeemed,
            today.previous_date AS previous_date, today.previous_quota AS previous_quota, today.previous_equity AS previous_equity,
            today.earlier_date AS earlier_date, today.earlier_quota AS earlier_quota,
            today.next_date AS next_date, today.next_quota AS next_quota,
            month.date AS month_date, month.quota AS month_quota, month.equity AS month_equity
        FROM
        (
            SELECT
                *,
                subtractMonths(date, 1) AS month_target,
                lagInFrame(date, 1, toDate(0))   OVER beside AS previous_date,
                lagInFrame(quota)                OVER beside AS previous_quota,
                lagInFrame(equity)               OVER beside AS previous_equity,
                lagInFrame(date, 2, toDate(0))   OVER beside AS earlier_date,
                lagInFrame(quota, 2)             OVER beside AS earlier_quota,
                leadInFrame(date, 1, toDate(0))  OVER beside AS next_date,
                leadInFrame(quota)               OVER beside AS next_quota
            FROM quotes
            WINDOW beside AS (PARTITION BY series_id ORDER BY date ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)
        ) AS today
        ASOF LEFT JOIN (SELECT series_id, date, quota, equity FROM quotes) AS month
            ON month.series_id = today.series_id AND month.date <= today.month_target
        WHERE today.date BETWEEN {from:Date} AND {to:Date}
    )
SELECT
    series_id, date, manager_rut, currency, quota, equity, shareholders,
    toFloat64(units_contributed - units_redeemed) * toFloat64(quota) AS flow,
    previous_date != toDate(0) AND date - previous_date <= 7 AS has_previous,
    if(has_previous, previous_date, NULL)   AS previous_date_used,
    if(has_previous, previous_equity, NULL) AS previous_equity_used,
    if(has_previous AND quota > 0 AND previous_quota > 0 AND NOT arrayExists(d -> d > previous_date AND d <= date, dates),
       toFloat64(quota) / toFloat64(previous_quota)
           * arrayProduct(arrayPushFront(arrayMap(f -> if(f.1 > previous_date AND f.1 <= date, f.2, 1), list), 1)) - 1,
       NULL) AS daily_return,
    month_date != toDate(0) AND subtractMonths(date, 1) - month_date <= 7 AS has_month,
    if(has_month, month_date, NULL)   AS month_date_used,
    if(has_month, month_equity, NULL) AS month_equity_used,
    if(has_month AND quota > 0 AND month_quota > 0 AND NOT arrayExists(d -> d > month_date AND d <= date, dates),
       toFloat64(quota) / toFloat64(month_quota)
           * arrayProduct(arrayPushFront(arrayMap(f -> if(f.1 > month_date AND f.1 <= date, f.2, 1), list), 1)) - 1,
       NULL) AS monthly_return,
    -- A spike is a plain price move of over 10 % of which at least 80 % came back
    -- with the next quote. The move and its return both stay out of the index.
    toFloat64(quota) / toFloat64(previous_quota) - 1         AS move,
    toFloat64(next_quota) / toFloat64(quota) - 1             AS move_after,
    toFloat64(previous_quota) / toFloat64(earlier_quota) - 1 AS move_before,
    has_previous AND next_date != toDate(0) AND next_date - date <= 7
        AND ifNull(isFinite(move) AND abs(move) > 0.1 AND -move_after * (1 + move) / move >= 0.8, 0) AS spikes,
    has_previous AND earlier_date != toDate(0) AND previous_date - earlier_date <= 7
        AND ifNull(isFinite(move_before) AND abs(move_before) > 0.1 AND -move * (1 + move_before) / move_before >= 0.8, 0) AS unspikes,
    spikes OR unspikes AS spike
FROM paired
LEFT JOIN factors USING (series_id)
LEFT JOIN breaks USING (series_id)
