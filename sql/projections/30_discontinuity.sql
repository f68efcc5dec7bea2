-- Days across which a price return would be meaningless (RULES 1): a change of currency,
-- more than 31 days between two quotes, equity that was zero and is positive again, a
-- factor de ajuste other than 1, a change of unit that only the rows themselves show, or a
-- curated discontinuity. A void row fills a gap, but has neither currency nor equity, so
-- these are compared with those of the row before it. Curated discontinuities are added to
-- those that the quotes show.
--
-- A change of unit (RULES 8): without a factor de ajuste, the quota is divided by a power of ten, and
-- the equity without the flows of the day is within 20 % of the equity before. If days between the two
-- rows have no valid row, their flows are unknown, and the equities can't be compared: then a power of
-- at least 100, or at most 1/100, is enough. Or the quota is
-- divided by what the quotas outstanding, without the flows, are multiplied by, at least 1.5
-- or at most 1/1.5, and the equity says the same to 1e-4 and to the last decimal of the quotas. In
-- both cases the quota may move by 20 % besides, as with a stated factor. What the factor de reparto
-- says was paid is added to the quota and the equity first. A row is compared
-- with the last valid row before it. Investment funds state neither quotas nor flows.
--
-- A row is compared only with earlier rows. So the breaks before the first day that this
-- batch builds are those of the previous batch, with one row for each series that
-- represents all earlier days. Mutual funds and investment funds each have their own first
-- day. {from} and {to} are the first and the last id of a chunk of series.
--
-- chunks: series_chunks
INSERT INTO discontinuity (batch, series_id, date, kind, evidence)
WITH
    toDate('2149-06-06') AS never,
    ifNull((SELECT minOrNull(date) FROM series_day_version WHERE build = {batch:UInt64}), never)    AS since_mutual,
    ifNull((SELECT minOrNull(date) FROM fi_day_version WHERE build = {batch:UInt64}), never) AS since_investment,
    days AS
    (
        SELECT series_id, date, currency, equity, adjustment_factor, distribution_factor, since_mutual AS since,
               tuple(date, quota, equity, units_outstanding, units_contributed - units_redeemed) AS stated
        FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE since_mutual != never AND series_id BETWEEN toUInt32OrZero({from:String}) AND toUInt32OrZero({to:String})
        UNION ALL
        SELECT series_id, date, currency, equity, adjustment_factor, distribution_factor, since_investment,
               tuple(date, quota, equity, units_outstanding, units_contributed - units_redeemed)
        FROM batch_fi_quote(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE since_investment != never AND series_id BETWEEN toUInt32OrZero({from:String}) AND toUInt32OrZero({to:String})
    ),
    quotes AS
    (
        SELECT series_id, date, currency, equity, adjustment_factor, distribution_factor, stated, since FROM days WHERE date >= since
        UNION ALL
        SELECT
            series_id, max(date), argMaxIf(currency, date, currency != ''), argMax(equity, date), NULL, NULL,
            argMaxIf(stated, date, ifNull(stated.2 > 0, false)), since
        FROM days
        WHERE date < since
        GROUP BY series_id, since
    ),
    compared AS
    (
        SELECT
            series_id, date, currency, equity, adjustment_factor, distribution_factor, stated, since,
            lagInFrame(date, 1, toDate(0)) OVER one_before              AS previous_date,
            last_value(nullIf(currency, '')) IGNORE NULLS OVER all_before AS previous_currency,
            last_value(equity) IGNORE NULLS OVER all_before             AS previous_equity,
            anyLastIf(stated, ifNull(stated.2 > 0, false)) OVER all_before AS before, -- of the last valid row
            previous_date != toDate(0)                                  AS has_previous
        FROM quotes
        WINDOW
            one_before AS (PARTITION BY series_id ORDER BY date ROWS BETWEEN 1 PRECEDING AND CURRENT ROW),
            all_before AS (PARTITION BY series_id ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ),
    measured AS
    (
        SELECT
            *,
            ifNull(adjustment_factor, 1) = 1                                               AS no_factor,
            toFloat64(ifNull(distribution_factor, 1))                                      AS paid,
            toFloat64(stated.2) * paid / toFloat64(before.2)                               AS ratio,
            toFloat64(ifNull(stated.5, 0))                                                 AS net,
            pow(10, round(-log10(ratio)))                                                  AS power,
            (toFloat64(stated.3) - net * toFloat64(stated.2)) * paid / toFloat64(before.3) AS equity_kept,
            (toFloat64(stated.4) - net) / toFloat64(before.4)                              AS units,
            ifNull(no_factor AND stated.2 > 0 AND before.2 > 0 AND stated.3 > 0 AND before.3 > 0
                   AND power != 1 AND abs(ratio * power - 1) <= 0.2
                   AND (abs(equity_kept - 1) <= 0.2 OR date - before.1 > 1 AND (power >= 100 OR power <= 0.01)), false) AS by_power,
            ifNull(no_factor AND stated.2 > 0 AND before.2 > 0 AND stated.3 > 0 AND before.3 > 0 AND before.4 > 0
                   AND (units >= 1.5 OR units > 0 AND units <= 1 / 1.5) AND abs(ratio * units - 1) <= 0.2
                   AND abs(equity_kept - ratio * units) <= 1e-4 * (1 + 1 / toFloat64(least(stated.2, before.2))), false) AS by_units
        FROM compared
        WHERE date >= since
    )
SELECT {batch:UInt64}, series_id, date, break.1 AS kind, break.2 AS evidence
FROM
(
    SELECT
        series_id,
        date,
        since,
        arrayJoin(arrayFilter(b -> b.1 != '',
        [
            (if(currency != '' AND ifNull(currency != previous_currency, 0), 'currency_change', ''), ''),
            (if(has_previous AND date - previous_date > 31, 'gap', ''), ''),
            (if(ifNull(previous_equity = 0 AND equity > 0, 0), 'restart', ''), ''),
            (if(ifNull(adjustment_factor != 1, 0), 'adjustment', ''), ''),
            if(by_power OR by_units,
               ('unit_change', concat(
                    'VALOR_CUOTA ', ifNull(toString(before.2), ''), ' (', toString(before.1), '), ', ifNull(toString(stated.2), ''), ' (', toString(date),
                    '); CUOTAS_EN_CIRCULACION ', ifNull(toString(before.4), '?'), ', ', ifNull(toString(stated.4), '?'),
                    '; CUOTAS_APORTADAS - CUOTAS_RESCATADAS ', ifNull(toString(stated.5), '?'),
                    '; PATRIMONIO_NETO ', ifNull(toString(before.3), ''), ', ', ifNull(toString(stated.3), ''),
                    '; FACTOR DE AJUSTE 1; FACTOR DE REPARTO ', toString(ifNull(distribution_factor, 1)))),
               ('', ''))
        ])) AS break
    FROM measured
)
UNION ALL
SELECT {batch:UInt64}, series_id, date, kind, evidence
FROM discontinuity
WHERE batch = {previous:UInt64} AND kind != 'curated' AND series_id BETWEEN toUInt32OrZero({from:String}) AND toUInt32OrZero({to:String})
  AND date < if(series_id IN (SELECT id FROM registry WHERE kind = 'fi_series'), since_investment, since_mutual)
UNION ALL
SELECT {batch:UInt64}, series_id, date, 'curated', evidence_url
FROM batch_curated_discontinuity(batch = {batch:UInt64})
WHERE series_id BETWEEN toUInt32OrZero({from:String}) AND toUInt32OrZero({to:String})
