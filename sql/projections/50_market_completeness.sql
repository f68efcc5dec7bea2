-- How completely the market has reported each day (RULES 1). A row that was published and
-- rejected (void) was reported. So present counts it, with the equity of the quote before
-- it. But if more than 2 % of the series, and more than one, have a void row, the files
-- have a fault, and the day is not complete.
--
-- Each series counts with its last quote of the seven days before. After a gap in which
-- nothing at all was published, the seven days up to the gap are used instead. Otherwise a
-- stray day would become the cutoff, because no quotes precede it. Only the very first day
-- needs no prior quotes.
--
-- A day has data if it has a quote, and at least half of the prior series have one.
--
-- This batch computes the days that depend on a day which it builds, or on a dólar that
-- changed. The other days are copied from the previous batch.
--
-- sets: as_of
INSERT INTO market_completeness
    (batch, date, rows, series, prior_series, present_series, void_series, prior_equity_clp, present_equity_clp, has_data, complete)
WITH
    market_days AS
    (
        SELECT date, lagInFrame(date, 1, date) OVER (ORDER BY date ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS last_day
        FROM (SELECT DISTINCT date FROM series_day_version WHERE build <= {batch:UInt64} AND build NOT IN (SELECT batch FROM batch_failure))
    ),
    changed AS
    (
        SELECT date AS changed_on FROM series_day_version WHERE build = {batch:UInt64}
        UNION DISTINCT
        SELECT date
        FROM
        (
            SELECT date, value FROM batch_dolar(batch = {batch:UInt64})
            UNION ALL
            SELECT date, value FROM batch_dolar(batch = {previous:UInt64})
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
        -- For each of the seven days up to a gap: the first day after the gap, and the
        -- first of the seven days.
        SELECT last_day - arrayJoin(range(7)) AS prior_date, groupArray((date, last_day - 6)) AS after_gap
        FROM due
        WHERE date - last_day > 7
        GROUP BY prior_date
    ),
    quotes AS
    (
        SELECT
            series_id, date, quota IS NOT NULL AS is_quote,
            leadInFrame(date, 1, toDate('2149-06-06')) OVER next AS next_date,
            leadInFrame(quota IS NOT NULL)             OVER next AS next_is_quote,
            -- 1970-01-01 if no quote was read.
            maxIf(date, quota IS NOT NULL)                         OVER so_far AS quoted_on,
            argMaxIf((currency, equity), date, quota IS NOT NULL)  OVER so_far AS said
        FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE date BETWEEN (SELECT least(min(date), min(last_day)) - 7 FROM due) AND (SELECT max(date) FROM due)
          AND date IN (SELECT arrayJoin(arrayConcat(arrayMap(n -> date - n, range(8)), arrayMap(n -> last_day - n, range(7)))) FROM due)
        WINDOW
            next   AS (PARTITION BY series_id ORDER BY date ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING),
            so_far AS (PARTITION BY series_id ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    ),
    placed AS
    (
        -- Each row on its own day, and on the later days for which it is the newest earlier
        -- row, with the first day of the quotes that count there.
        SELECT
            arrayJoin(arrayConcat(
                [(date, date)],
                arrayMap(n -> (date + n, date + n - 7), range(1, toUInt16(least(next_date - date, 7)) + 1)),
                arrayFilter(after -> next_date >= after.1, after_gap))) AS place,
            place.1 AS on_date,
            on_date = date                              AS own,
            is_quote,
            NOT own AND quoted_on >= place.2            AS prior,
            next_date = on_date                         AS present,
            next_is_quote,
            cuota_clp(said.1, said.2, dolar.value)      AS equity_clp
        FROM quotes
        LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = quoted_on
        LEFT JOIN gaps ON prior_date = date
    )
SELECT
    {batch:UInt64}, on_date, countIf(own), countIf(own AND is_quote) AS quoted_series,
    countIf(prior) AS prior_series, countIf(prior AND present) AS present_series, countIf(prior AND present AND NOT next_is_quote) AS void_series,
    ifNull(sumIf(equity_clp, prior), 0) AS prior_equity, ifNull(sumIf(equity_clp, prior AND present), 0) AS present_equity,
    quoted_series > 0 AND 2 * (present_series - void_series) >= prior_series AS has_data,
    has_data AND
        if(prior_series > 0,
           100 * present_series >= 98 * prior_series AND 100 * present_equity >= 99 * prior_equity
               AND 100 * void_series <= greatest(100, 2 * prior_series),
           on_date = (SELECT min(date) FROM market_days))
FROM placed
WHERE on_date IN (SELECT date FROM due)
GROUP BY on_date
HAVING countIf(own) > 0
UNION ALL
SELECT {batch:UInt64}, date, rows, series, prior_series, present_series, void_series, prior_equity_clp, present_equity_clp, has_data, complete
FROM market_completeness
WHERE batch = {previous:UInt64} AND date NOT IN (SELECT date FROM due)
