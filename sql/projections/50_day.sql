-- How complete the market is on each day (RULES 1). Each quote stands, until the
-- series' next one and for at most seven days, as that series' prior quote. After
-- a gap in which nothing at all was quoted, the seven days up to the gap are the
-- prior ones: a stray day does not become the cutoff because nothing precedes it.
-- Only the very first day needs no prior quotes.
--
-- Computed for the days that look at one which this batch builds or whose dólar
-- changed; the others are as the batch before has them.
INSERT INTO day (batch, date, rows, series, prior_series, present_series, prior_equity_clp, present_equity_clp, complete)
WITH
    market_days AS
    (
        SELECT date, lagInFrame(date, 1, date) OVER (ORDER BY date ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS last_day
        FROM (SELECT DISTINCT date FROM day_build WHERE build <= {batch:UInt64})
    ),
    changed AS
    (
        SELECT date AS changed_on FROM day_build WHERE build = {batch:UInt64}
        UNION DISTINCT
        SELECT date
        FROM
        (
            SELECT date, value FROM dolar_of(batch = {batch:UInt64})
            UNION ALL
            SELECT date, value FROM dolar_of(batch = {previous:UInt64})
        )
        WHERE {previous:UInt64} != 0
        GROUP BY date HAVING count() = 1 OR min(value) != max(value)
    ),
    due AS
    (
        SELECT DISTINCT date, last_day
        FROM market_days
        CROSS JOIN changed
        WHERE changed_on BETWEEN date - 7 AND date
           OR date - last_day > 7 AND changed_on > last_day - 7 AND changed_on <= last_day
    ),
    gaps AS
    (
        -- For each of the seven days up to a gap, the day after it.
        SELECT last_day - arrayJoin(range(7)) AS prior_date, groupArray(date) AS after_gap
        FROM due
        WHERE date - last_day > 7
        GROUP BY prior_date
    ),
    quotes AS
    (
        SELECT
            series_id, date, currency, equity, quota IS NOT NULL AS is_quote,
            leadInFrame(date, 1, toDate('2149-06-06')) OVER next AS next_date,
            leadInFrame(quota IS NOT NULL)             OVER next AS next_is_quote
        FROM series_day_of(batch = {batch:UInt64}, series = [])
        WHERE date BETWEEN (SELECT least(min(date), min(last_day)) - 7 FROM due) AND (SELECT max(date) FROM due)
          AND date IN (SELECT arrayJoin(arrayConcat(arrayMap(n -> date - n, range(8)), arrayMap(n -> last_day - n, range(7)))) FROM due)
        WINDOW next AS (PARTITION BY series_id ORDER BY date ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)
    ),
    placed AS
    (
        -- Each quote on its own day, and on those before which it is the prior one.
        SELECT
            arrayJoin(arrayConcat(
                [date],
                arrayMap(n -> date + n, range(1, toUInt16(least(next_date - date, 7)) + 1)),
                arrayFilter(after -> next_date >= after, after_gap))) AS on_date,
            on_date = date                              AS own,
            is_quote,
            next_date = on_date AND next_is_quote       AS present,
            cuota_clp(currency, equity, dolar.value)    AS equity_clp
        FROM quotes
        LEFT JOIN (SELECT date AS dolar_date, value FROM dolar_of(batch = {batch:UInt64})) AS dolar ON dolar_date = date
        LEFT JOIN gaps ON prior_date = date
    )
SELECT
    {batch:UInt64}, on_date, countIf(own), countIf(own AND is_quote),
    countIf(NOT own) AS prior_series, countIf(NOT own AND present) AS present_series,
    ifNull(sumIf(equity_clp, NOT own), 0) AS prior_equity, ifNull(sumIf(equity_clp, NOT own AND present), 0) AS present_equity,
    prior_series > 0
        ? 100 * present_series >= 98 * prior_series AND 100 * present_equity >= 99 * prior_equity
        : on_date = (SELECT min(date) FROM market_days)
FROM placed
WHERE on_date IN (SELECT date FROM due)
GROUP BY on_date
HAVING countIf(own) > 0
UNION ALL
SELECT {batch:UInt64}, date, rows, series, prior_series, present_series, prior_equity_clp, present_equity_clp, complete
FROM day
WHERE batch = {previous:UInt64} AND date NOT IN (SELECT date FROM due)
