-- Days across which a price return would be meaningless (RULES 1): a change of
-- currency, or a known discontinuity: more than 31 days between two quotes,
-- equity that was nothing and is something, a factor de ajuste other than 1. A
-- void row fills a gap, but knows neither currency nor equity: these are compared
-- with the row before it. Curated discontinuities stand beside what the quotes
-- show by themselves.
INSERT INTO series_break (batch, series_id, date, kind)
SELECT {batch:UInt64}, series_id, date, kind
FROM
(
    SELECT
        series_id,
        date,
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
            series_id, date, currency, equity, adjustment_factor,
            lagInFrame(date, 1, toDate(0)) OVER one_before              AS previous_date,
            last_value(nullIf(currency, '')) IGNORE NULLS OVER all_before AS previous_currency,
            last_value(equity) IGNORE NULLS OVER all_before             AS previous_equity,
            previous_date != toDate(0)                                  AS has_previous
        FROM
        (
            SELECT series_id, date, currency, equity, adjustment_factor FROM series_day_of(batch = {batch:UInt64}, series = [])
            UNION ALL
            SELECT series_id, date, currency, equity, adjustment_factor FROM fi_quote_of(batch = {batch:UInt64}, series = [])
        )
        WINDOW
            one_before AS (PARTITION BY series_id ORDER BY date ROWS BETWEEN 1 PRECEDING AND CURRENT ROW),
            all_before AS (PARTITION BY series_id ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    )
)
UNION ALL
SELECT {batch:UInt64}, series_id, date, 'curated'
FROM discontinuity_of(batch = {batch:UInt64})
