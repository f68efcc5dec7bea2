-- For each series and day asked for: its family, and the series of the same family, investor class and currency with the
-- lowest cost rate that was open on the day, by what was known then. Open means that the series has a quota of the very
-- day and equity. Known are rates that had been stated by the day, as in backtest_costs.sql (parts/dated_rates.sql), and as they were
-- stated then. Of these the rate in force is chosen as in tac_as_of. Rates of different kinds do not compare (RULES 2), so only
-- series with a rate of the same kind count. Of equal rates that of the series with more equity counts.
--   series, days    ids of series, and for each the day, at the same places
--   several, rates  as in backtest_costs.sql
-- The investor class is the one that came with a rate known by the day, else that of the newest comparator (class_later). reason
-- says why there is no best one: no_family, no_class or no_tac.
WITH
    parts.dated_rates,
    asked AS (SELECT pair.1 AS id, pair.2 AS day FROM (SELECT arrayJoin(arrayZip({series:Array(UInt32)}, {days:Array(Date)})) AS pair)),
    own AS
    (
        SELECT date AS day, toString(currency) AS currency, toString(assumeNotNull(family_rar)) AS family
        FROM batch_market_day(batch = {batch:UInt64}, from = arrayMin({days:Array(Date)}), to = arrayMax({days:Array(Date)}))
        WHERE (series_id, date) IN (SELECT id, day FROM asked) AND family_rar != ''
    ),
    -- The series asked for, and those that are open in the same family and currency.
    candidates AS
    (
        SELECT
            date AS day, series_id, toString(currency) AS currency, ifNull(toString(family_rar), '') AS family, classified_later, equity,
            ifNull(price > 0 AND equity > 0, false) AS is_open, (series_id, date) IN (SELECT id, day FROM asked) AS is_mine
        FROM batch_market_day(batch = {batch:UInt64}, from = arrayMin({days:Array(Date)}), to = arrayMax({days:Array(Date)}))
        WHERE date IN {days:Array(Date)} AND (is_mine OR is_open AND (day, currency, family) IN (SELECT day, currency, family FROM own))
    ),
    -- What each month, kind and source said by the day. A rate that had been taken back by then is none.
    known AS
    (
        SELECT *
        FROM
        (
            SELECT
                days.day AS day, series_id, month, kind, toString(tac_kind) AS tac_kind, rate, ifNull(toString(class), '') AS class,
                is_stated, label_order, revision, source_sha256, source_line
            FROM (SELECT * FROM {rates:Identifier} WHERE series_id IN (SELECT series_id FROM candidates)) AS stated
            CROSS JOIN (SELECT DISTINCT day FROM asked) AS days
            WHERE known_on <= days.day AND month <= days.day
            ORDER BY day, series_id, month, kind, is_stated, label_order, revision DESC, source_sha256 DESC, source_line DESC
            LIMIT 1 BY day, series_id, month, kind, is_stated
        )
        WHERE rate IS NOT NULL
    ),
    in_force AS
    (
        SELECT day, series_id, tac_kind, assumeNotNull(rate) AS rate, month, class_then
        FROM
        (
            SELECT
                *, kind = 'synthetic' AND addYears(month, 1) > max(month) OVER (PARTITION BY day, series_id) AS leads,
                argMaxIf(class, month, class != '') OVER (PARTITION BY day, series_id) AS class_then
            FROM known
        )
        ORDER BY day, series_id, leads DESC, month DESC, kind, tac_kind = 'stated' DESC
        LIMIT 1 BY day, series_id
    ),
    rated AS
    (
        SELECT
            candidates.day AS day, candidates.series_id AS series_id, currency, family, classified_later, equity, is_open, is_mine,
            in_force.tac_kind AS tac_kind, in_force.rate AS rate, in_force.month AS month,
            class_then = '' AND classes.class != '' AS class_later, class_then != '' ? class_then : classes.class AS class
        FROM candidates
        LEFT JOIN in_force ON in_force.day = candidates.day AND in_force.series_id = candidates.series_id
        LEFT JOIN (SELECT series_id, ifNull(toString(class_dated), '') AS class FROM series WHERE batch = {batch:UInt64}) AS classes
            ON classes.series_id = candidates.series_id
    ),
    -- Each with the best of its family, currency, class and kind, 0 if none of these is open or one of them is not known.
    mine AS
    (
        SELECT
            *, family != '' AND class != '' AND tac_kind != '' ? cheapest.1 : 0 AS best_id,
            best_id = 0 ? 0 : cheapest.2 AS best_rate, best_id = 0 ? toDate(0) : cheapest.3 AS best_month
        FROM
        (
            SELECT
                *, argMinIf((series_id, rate, month), (rate, negate(equity), series_id), is_open)
                    OVER (PARTITION BY day, currency, family, class, tac_kind) AS cheapest
            FROM rated
        )
        WHERE is_mine
    )
SELECT
    mine.series_id AS series_id, mine.day AS day, mine.currency AS currency, mine.family AS family, toBool(mine.classified_later) AS family_later, mine.class AS class, toBool(mine.class_later) AS class_later,
    mine.tac_kind AS tac_kind, mine.rate AS rate,
    mine.best_id AS best_id, mine.best_rate AS best_rate, mine.best_month AS best_month,
    ifNull(toString(named.run), '') AS best_run, ifNull(toString(named.serie), '') AS best_serie, ifNull(funds.name, '') AS best_fund,
    multiIf(mine.family = '', 'no_family', mine.tac_kind = '', 'no_tac', mine.class = '', 'no_class', '') AS reason
FROM mine
LEFT JOIN (SELECT series_id, fund_id, run, serie FROM series WHERE batch = {batch:UInt64}) AS named ON named.series_id = mine.best_id
LEFT JOIN (SELECT fund_id, name FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = named.fund_id
ORDER BY series_id, day
SETTINGS join_use_nulls = 0
