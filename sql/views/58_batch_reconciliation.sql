-- Our returns against those that the comparators of the regulator state, with the cause of each
-- difference (docs/reconciliation.md), as batch N sees them. It covers the series in the list, or
-- every series if all_series is set.
-- The regulator states returns in pesos, and real ones beyond the growth of the UF. It counts
-- distributions. Our return is the price return in the same unit, at the date of the comparator or
-- else at the latest complete day before it.
--   SELECT years, basis, official_return, price_return, cause FROM batch_reconciliation(batch = 7, series = [4047362302], all_series = false)
CREATE OR REPLACE VIEW batch_reconciliation AS
WITH
    stated AS
    (
        SELECT
            lines.series_id AS series_id, lines.date AS date,
            toFloat64(toDecimal128(lines.nominal_1y, 10) / 100) AS nominal_1y, toFloat64(toDecimal128(lines.real_1y, 10) / 100) AS real_1y,
            toFloat64(toDecimal128(lines.nominal_3y, 10) / 100) AS nominal_3y, toFloat64(toDecimal128(lines.real_3y, 10) / 100) AS real_3y,
            toFloat64(toDecimal128(lines.nominal_5y, 10) / 100) AS nominal_5y, toFloat64(toDecimal128(lines.real_5y, 10) / 100) AS real_5y
        FROM batch_official_return(batch = {batch:UInt64}) AS lines
        WHERE {all_series:Bool} OR series_id IN {series:Array(UInt32)}
    ),
    builds AS
    (
        SELECT date AS day, newest FROM parts.newest_builds(list: return_day_version)
        WHERE date IN (SELECT date FROM market_completeness WHERE batch = {batch:UInt64} AND complete)
    ),
    compared AS
    (
        SELECT comparators.date AS date, max(builds.day) AS day
        FROM (SELECT DISTINCT date FROM stated) AS comparators
        CROSS JOIN builds
        WHERE builds.day <= comparators.date AND builds.day <= (SELECT as_of_date FROM batch WHERE batch = {batch:UInt64})
        GROUP BY date
    ),
    -- Our returns on the compared days.
    own AS
    (
        SELECT series_id, day, currency, effective_end, w.1 AS years, w.2 AS value, w.3 AS reason, w.4 AS effective_start
        FROM
        (
            SELECT
                series_id, date AS day, currency, effective_end, return_1y, return_3y_ann, return_5y_ann, reason_1y, reason_3y_ann, reason_5y_ann,
                start_1y, start_3y_ann, start_5y_ann
            FROM return_day
            WHERE (date, build) IN (SELECT day, newest FROM builds WHERE day IN (SELECT day FROM compared))
              AND ({all_series:Bool} OR series_id IN {series:Array(UInt32)})
        )
        ARRAY JOIN arrayZip([1, 3, 5], [return_1y, return_3y_ann, return_5y_ann], [reason_1y, reason_3y_ann, reason_5y_ann], [start_1y, start_3y_ann, start_5y_ann]) AS w
    ),
    -- The distributions of a series, in the order of their days. A verified factor counts before that of the daily file.
    paid AS
    (
        SELECT series_id, arraySort(groupArray((paid_on, factor))) AS payments, payments.1 AS paid_days, payments.2 AS factors
        FROM
        (
            SELECT series_id, paid_on, toFloat64(argMax(stated_factor, is_verified)) AS factor
            FROM
            (
                SELECT series_id, date AS paid_on, toDecimal128(assumeNotNull(distribution_factor), 10) AS stated_factor, 0 AS is_verified
                FROM series_day
                WHERE distribution_factor != 1 AND ({all_series:Bool} OR series_id IN {series:Array(UInt32)})
                  AND (date, build) IN parts.newest_builds(list: series_day_version)
                UNION ALL
                SELECT labels.series_id AS series_id, facts.date, toDecimal128(facts.distribution_factor, 10), 1
                parts.from_verified_factors
            )
            GROUP BY series_id, paid_on
            HAVING factor != 1 AND factor BETWEEN 1 AND 1.5
        )
        GROUP BY series_id
    )
SELECT
    series_id, date, years, basis, official_return, price_return, reinvested_return,
    price_return - official_return AS difference, reinvested_return - official_return AS reinvested_difference,
    multiIf(
        official_return IS NULL AND price_return IS NULL, 'absent_on_both_sides',
        official_return IS NULL,                          'absent_there',
        price_return IS NULL AND (reason LIKE 'missing_%_quote' OR reason LIKE 'stale_%_quote' OR reason = 'no_stored_return'), 'missing_history',
        price_return IS NULL AND reason LIKE 'invalid_%_quote',   'invalid_quote',
        price_return IS NULL AND (reason LIKE '%_fx' OR reason LIKE '%_uf'), 'missing_rate',
        price_return IS NULL,                             'break',
        abs(difference) <= 0.00001,                       NULL,
        abs(reinvested_difference) <= 0.00001,            'distributions',
        effective_end != date OR effective_start != subtractMonths(date, 12 * years), 'different_date',
        'unexplained') AS cause,
    reason, compared_date, effective_start, effective_end, distributions
FROM
(
    SELECT
        series_id, date, years, basis, official_return, nullIf(day, toDate(0)) AS compared_date, effective_start, effective_end, distributions,
        if(obstacle IS NULL AND isFinite(raw), raw, NULL) AS price_return,
        if(obstacle IS NULL AND isFinite(raw_reinvested), raw_reinvested, NULL) AS reinvested_return,
        if(obstacle IS NULL AND NOT isFinite(raw), 'non_finite_return', obstacle) AS reason
    FROM
    (
        SELECT
            comparator.series_id AS series_id, comparator.date AS date, toUInt8(comparator.years) AS years, comparator.basis AS basis,
            comparator.official_return AS official_return, days.day AS day, own.effective_start AS effective_start,
            nullIf(own.effective_end, toDate(0)) AS effective_end,
            arrayFilter((factor, paid_on) -> paid_on > own.effective_start AND paid_on <= own.effective_end, paid.factors, paid.paid_days) AS counted,
            toUInt32(length(counted)) AS distributions,
            empty(counted) ? 1 : arrayProduct(counted) AS paid_multiple,
            own.years = 0 ? 'no_stored_return' : own.reason AS price_reason,
            ifNull(own.currency = 'DOLAR', false) AS in_dollars,
            comparator.basis = 'real' AS in_uf,
            coalesce(price_reason, cuota_rate_reason(in_uf, in_dollars, effective_end, at_end.fx_date, at_end.fx_value, at_end.uf_value,
                                                     effective_start, at_start.fx_date, at_start.fx_value, at_start.uf_value)) AS obstacle,
            years = 1 ? 0 : years AS power,
            years = 1 ? 1 + own.value : pow(1 + own.value, years) AS multiple,
            in_uf ? 'real_uf' : 'clp' AS valuation,
            cuota_valued(valuation, multiple, power, in_dollars, at_start.fx_value, at_end.fx_value, at_start.uf_value, at_end.uf_value) AS raw,
            cuota_valued(valuation, multiple * paid_multiple, power, in_dollars, at_start.fx_value, at_end.fx_value, at_start.uf_value, at_end.uf_value) AS raw_reinvested
        FROM
        (
            SELECT series_id, date, c.1 AS years, c.2 AS basis, c.3 AS official_return
            FROM stated
            ARRAY JOIN arrayZip([1, 1, 3, 3, 5, 5], ['nominal', 'real', 'nominal', 'real', 'nominal', 'real'],
                                [nominal_1y, real_1y, nominal_3y, real_3y, nominal_5y, real_5y]) AS c
        ) AS comparator
        LEFT JOIN compared AS days ON days.date = comparator.date
        LEFT JOIN own ON own.series_id = comparator.series_id AND own.day = days.day AND own.years = comparator.years
        LEFT JOIN paid ON paid.series_id = comparator.series_id
        parts.rates_at(side: start; day: own.effective_start)
        parts.rates_at(side: end; day: own.effective_end)
    )
)
SETTINGS join_use_nulls = 0
