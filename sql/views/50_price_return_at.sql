-- Price returns in accounting currency at any date, from the quotes of batch N:
-- one row per series and window, with the reason where there is no value
-- (RULES 1). An empty list of series means all of them.
--   SELECT * FROM price_return_at(batch = 7, as_of = '2024-02-29', series = [4047362302])
--
-- For each target date the newest quote on or before it is picked, whatever its
-- age: an old one is stale, a bad one invalid, and neither gives way to another.
CREATE OR REPLACE VIEW price_return_at AS
WITH
    7 AS tolerance_days,
    toDate({as_of:Date}) AS as_of,
    if(as_of = toLastDayOfMonth(as_of), as_of, toLastDayOfMonth(subtractMonths(as_of, 1))) AS closed_month_end,
    picked AS
    (
        -- One pass over the quotes; each aggregate keeps (date, quota, currency).
        SELECT
            series_id,
            argMaxIf((date, toFloat64(quota), currency), date, date <= as_of)                       AS q_end,
            argMaxIf((date, toFloat64(quota), currency), date, date <= subtractMonths(as_of, 1))    AS q_1m,
            argMaxIf((date, toFloat64(quota), currency), date, date <= subtractMonths(as_of, 3))    AS q_3m,
            argMaxIf((date, toFloat64(quota), currency), date, date <= subtractMonths(as_of, 6))    AS q_6m,
            argMaxIf((date, toFloat64(quota), currency), date, date <= subtractMonths(as_of, 12))   AS q_1y,
            argMaxIf((date, toFloat64(quota), currency), date, date <= toStartOfYear(as_of) - 1)    AS q_ytd,
            argMaxIf((date, toFloat64(quota), currency), date, date <= subtractMonths(as_of, 36))   AS q_3y,
            argMaxIf((date, toFloat64(quota), currency), date, date <= subtractMonths(as_of, 60))   AS q_5y,
            argMaxIf((date, toFloat64(quota), currency), date, date <= closed_month_end)            AS q_month_end,
            argMaxIf((date, toFloat64(quota), currency), date,
                     date <= toLastDayOfMonth(subtractMonths(closed_month_end, 1)))                 AS q_month_start
        FROM
        (
            SELECT series_id, date, quota, currency
            FROM series_day_of(batch = {batch:UInt64}, series = {series:Array(UInt32)})
            WHERE date <= as_of
            UNION ALL -- a series that is asked for has its windows even without any quote
            SELECT arrayJoin({series:Array(UInt32)}), toDate(0), NULL, ''
        )
        GROUP BY series_id
    ),
    windows AS
    (
        SELECT
            series_id,
            arrayJoin([
                ('1m',     0, subtractMonths(as_of, 1),  as_of, q_1m,  q_end),
                ('3m',     0, subtractMonths(as_of, 3),  as_of, q_3m,  q_end),
                ('6m',     0, subtractMonths(as_of, 6),  as_of, q_6m,  q_end),
                ('1y',     0, subtractMonths(as_of, 12), as_of, q_1y,  q_end),
                ('ytd',    0, toStartOfYear(as_of) - 1,  as_of, q_ytd, q_end),
                ('3y_ann', 3, subtractMonths(as_of, 36), as_of, q_3y,  q_end),
                ('5y_ann', 5, subtractMonths(as_of, 60), as_of, q_5y,  q_end),
                ('last_closed_month', 0, toLastDayOfMonth(subtractMonths(closed_month_end, 1)), closed_month_end,
                    q_month_start, q_month_end)
            ]) AS w,
            w.1 AS window, w.2 AS years, w.3 AS target_start, w.4 AS target_end,
            w.5.1 AS start_date, w.5.2 AS start_quota, w.5.3 AS start_currency,
            w.6.1 AS end_date,   w.6.2 AS end_quota,   w.6.3 AS end_currency
        FROM picked
    ),
    breaks AS
    (
        SELECT series_id, groupArray((date, kind)) AS list
        FROM series_break
        WHERE batch = {batch:UInt64}
          AND (empty({series:Array(UInt32)}) OR series_id IN {series:Array(UInt32)})
        GROUP BY series_id
    ),
    judged AS
    (
        SELECT
            *,
            if(years = 0, end_quota / start_quota - 1, pow(end_quota / start_quota, 1 / years) - 1) AS raw,
            multiIf(
                end_date = toDate(0),                                  'missing_end_quote',
                NOT ifNull(end_quota > 0 AND isFinite(end_quota), 0),  'invalid_end_quote',
                target_end - end_date > tolerance_days,                'stale_end_quote',
                start_date = toDate(0),                                'missing_start_quote',
                NOT ifNull(start_quota > 0 AND isFinite(start_quota), 0), 'invalid_start_quote',
                target_start - start_date > tolerance_days,            'stale_start_quote',
                start_currency NOT IN ('PESOS', 'DOLAR') OR end_currency NOT IN ('PESOS', 'DOLAR'), 'unknown_currency',
                arrayExists(b -> b.1 > start_date AND b.1 <= end_date AND b.2 = 'currency_change', list), 'currency_change',
                arrayExists(b -> b.1 > start_date AND b.1 <= end_date, list), 'known_discontinuity',
                NOT ifNull(isFinite(raw), 0),                          'non_finite_return',
                NULL) AS reason
        FROM windows
        LEFT JOIN breaks USING (series_id)
    )
SELECT
    series_id,
    window,
    if(reason IS NULL, raw, NULL)           AS value,
    if(reason IS NULL, end_currency, NULL)  AS currency,
    reason,
    target_start,
    target_end,
    nullIf(start_date, toDate(0))           AS effective_start,
    nullIf(end_date, toDate(0))             AS effective_end
FROM judged
