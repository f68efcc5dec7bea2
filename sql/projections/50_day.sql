-- How complete the market is on each day (RULES 1). Each quote stands, until the
-- series' next one and for at most seven days, as that series' prior quote. After
-- a gap in which nothing at all was quoted, the seven days up to the gap are the
-- prior ones: a stray day does not become the cutoff because nothing precedes it.
-- Only the very first day needs no prior quotes.
INSERT INTO day (batch, date, rows, series, prior_series, present_series, prior_equity_clp, present_equity_clp, complete)
WITH
    quotes AS
    (
        SELECT
            series_id, date, quota,
            cuota_clp(currency, equity, dolar.value) AS equity_clp,
            leadInFrame(date, 1, toDate('2149-06-06')) OVER next AS next_date,
            leadInFrame(quota IS NOT NULL)             OVER next AS next_is_quote
        FROM series_day_of(batch = {batch:UInt64}, series = []) AS quotes
        LEFT JOIN dolar_of(batch = {batch:UInt64}) AS dolar USING (date)
        WINDOW next AS (PARTITION BY series_id ORDER BY date ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)
    ),
    prior AS
    (
        SELECT
            date + arrayJoin(range(1, toUInt16(least(next_date - date, 7)) + 1)) AS on_date,
            next_date = on_date AND next_is_quote AS present,
            equity_clp
        FROM quotes
        UNION ALL
        SELECT gaps.date, next_date = gaps.date AND next_is_quote, equity_clp
        FROM quotes
        CROSS JOIN
        (
            SELECT date, lagInFrame(date, 1, date) OVER (ORDER BY date ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS last_day
            FROM (SELECT DISTINCT date FROM quotes)
        ) AS gaps
        WHERE gaps.date - gaps.last_day > 7
          AND quotes.date <= gaps.last_day AND quotes.date > gaps.last_day - 7 AND next_date > gaps.last_day
    )
SELECT
    {batch:UInt64}, seen.date, seen.rows, seen.series,
    known.prior_series, known.present_series, ifNull(known.prior_equity_clp, 0), ifNull(known.present_equity_clp, 0),
    known.prior_series > 0
        ? 100 * known.present_series >= 98 * known.prior_series
              AND 100 * ifNull(known.present_equity_clp, 0) >= 99 * ifNull(known.prior_equity_clp, 0)
        : seen.date = (SELECT min(date) FROM quotes)
FROM (SELECT date, count() AS rows, countIf(quota IS NOT NULL) AS series FROM quotes GROUP BY date) AS seen
LEFT JOIN
(
    SELECT
        on_date AS date,
        count() AS prior_series, countIf(present) AS present_series,
        sum(equity_clp) AS prior_equity_clp, sumIf(equity_clp, present) AS present_equity_clp
    FROM prior GROUP BY on_date
) AS known USING (date)
