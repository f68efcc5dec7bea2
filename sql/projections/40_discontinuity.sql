-- Days across which a price return would be meaningless (RULES 1): a change of currency,
-- more than 31 days between two quotes, equity that was zero and is positive again, a
-- factor de ajuste other than 1, or a curated discontinuity. A void row fills a gap, but
-- has neither currency nor equity, so these are compared with those of the row before it.
-- Curated discontinuities are added to those that the quotes show.
--
-- A row is compared only with earlier rows. So the breaks before the first day that this
-- batch builds are those of the previous batch, with one row for each series that
-- represents all earlier days. Mutual funds and investment funds each have their own first
-- day. {from} and {to} are the first and the last id of a chunk of series.
--
-- chunks: series_chunks
INSERT INTO discontinuity (batch, series_id, date, kind)
WITH
    toDate('2149-06-06') AS never,
    ifNull((SELECT minOrNull(date) FROM series_day_version WHERE build = {batch:UInt64}), never)    AS since_mutual,
    ifNull((SELECT minOrNull(date) FROM fi_day_version WHERE build = {batch:UInt64}), never) AS since_investment,
    days AS
    (
        SELECT series_id, date, currency, equity, adjustment_factor, since_mutual AS since
        FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE since_mutual != never AND series_id BETWEEN toUInt32OrZero({from:String}) AND toUInt32OrZero({to:String})
        UNION ALL
        SELECT series_id, date, currency, equity, adjustment_factor, since_investment
        FROM batch_fi_quote(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE since_investment != never AND series_id BETWEEN toUInt32OrZero({from:String}) AND toUInt32OrZero({to:String})
    ),
    quotes AS
    (
        SELECT series_id, date, currency, equity, adjustment_factor, since FROM days WHERE date >= since
        UNION ALL
        SELECT series_id, max(date), argMaxIf(currency, date, currency != ''), argMax(equity, date), NULL, since
        FROM days
        WHERE date < since
        GROUP BY series_id, since
    )
SELECT {batch:UInt64}, series_id, date, kind
FROM
(
    SELECT
        series_id,
        date,
        since,
        arrayJoin(arrayFilter(k -> k != '',
        [
            if(currency != '' AND ifNull(currency != previous_currency, 0), 'currency_change', ''),
            if(has_previous AND date - previous_date > 31, 'gap', ''),
            if(ifNull(previous_equity = 0 AND equity > 0, 0), 'restart', ''),
            if(ifNull(adjustment_factor != 1, 0), 'adjustment', '')
        ])) AS kind
    FROM
    (
        SELECT
            series_id, date, currency, equity, adjustment_factor, since,
            lagInFrame(date, 1, toDate(0)) OVER one_before              AS previous_date,
            last_value(nullIf(currency, '')) IGNORE NULLS OVER all_before AS previous_currency,
            last_value(equity) IGNORE NULLS OVER all_before             AS previous_equity,
            previous_date != toDate(0)                                  AS has_previous
        FROM quotes
        WINDOW
            one_before AS (PARTITION BY series_id ORDER BY date ROWS BETWEEN 1 PRECEDING AND CURRENT ROW),
            all_before AS (PARTITION BY series_id ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    )
    WHERE date >= since
)
UNION ALL
SELECT {batch:UInt64}, series_id, date, kind
FROM discontinuity
WHERE batch = {previous:UInt64} AND kind != 'curated' AND series_id BETWEEN toUInt32OrZero({from:String}) AND toUInt32OrZero({to:String})
  AND date < if(series_id IN (SELECT id FROM registry WHERE kind = 'fi_series'), since_investment, since_mutual)
UNION ALL
SELECT {batch:UInt64}, series_id, date, 'curated'
FROM batch_curated_discontinuity(batch = {batch:UInt64})
WHERE series_id BETWEEN toUInt32OrZero({from:String}) AND toUInt32OrZero({to:String})
