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
        SELECT date AS day, series_id, toString(currency) AS currency, ifNull(toString(family_rar), '') AS family, classified_later
        FROM batch_market_day(batch = {batch:UInt64}, from = arrayMin({days:Array(Date)}), to = arrayMax({days:Array(Date)}))
        WHERE (series_id, date) IN (SELECT id, day FROM asked)
    ),
    open AS
    (
        SELECT date AS day, series_id, toString(currency) AS currency, toString(assumeNotNull(family_rar)) AS family, equity
        FROM batch_market_day(batch = {batch:UInt64}, from = arrayMin({days:Array(Date)}), to = arrayMax({days:Array(Date)}))
        WHERE date IN {days:Array(Date)} AND price > 0 AND equity > 0
          AND (date, toString(currency), ifNull(toString(family_rar), '')) IN (SELECT day, currency, family FROM own WHERE family != '')
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
            FROM (SELECT * FROM {rates:Identifier} WHERE series_id IN (SELECT series_id FROM open UNION DISTINCT SELECT series_id FROM own)) AS stated
            CROSS JOIN (SELECT DISTINCT day FROM asked) AS days
            WHERE known_on <= days.day AND month <= days.day
            ORDER BY day, series_id, month, kind, is_stated, label_order, revision DESC, source_sha256 DESC, source_line DESC
            LIMIT 1 BY day, series_id, month, kind, is_stated
        )
        WHERE rate IS NOT NULL
    ),
    in_force AS
    (
        SELECT day, series_id, tac_kind, assumeNotNull(rate) AS rate, month
        FROM (SELECT *, kind = 'synthetic' AND addYears(month, 1) > max(month) OVER (PARTITION BY day, series_id) AS leads FROM known)
        ORDER BY day, series_id, leads DESC, month DESC, kind, tac_kind = 'stated' DESC
        LIMIT 1 BY day, series_id
    ),
    class_then AS
    (
        SELECT day, series_id, argMaxIf(class, month, class != '') AS class FROM known GROUP BY day, series_id
    ),
    classes AS (SELECT series_id, ifNull(toString(class_dated), '') AS class FROM series WHERE batch = {batch:UInt64}),
    rated AS
    (
        SELECT
            open.day AS day, open.series_id AS series_id, open.currency AS currency, open.family AS family, open.equity AS equity,
            in_force.tac_kind AS tac_kind, in_force.rate AS rate, in_force.month AS month,
            class_then.class != '' ? class_then.class : classes.class AS class
        FROM open
        INNER JOIN in_force ON in_force.day = open.day AND in_force.series_id = open.series_id
        LEFT JOIN class_then ON class_then.day = open.day AND class_then.series_id = open.series_id
        LEFT JOIN classes ON classes.series_id = open.series_id
    ),
    mine AS
    (
        SELECT
            own.series_id AS id, own.day AS day, own.currency AS currency, own.family AS family, own.classified_later AS family_later,
            in_force.tac_kind AS tac_kind, in_force.rate AS rate,
            class_then.class = '' AND classes.class != '' AS class_later,
            class_then.class != '' ? class_then.class : classes.class AS class
        FROM own
        LEFT JOIN in_force ON in_force.day = own.day AND in_force.series_id = own.series_id
        LEFT JOIN class_then ON class_then.day = own.day AND class_then.series_id = own.series_id
        LEFT JOIN classes ON classes.series_id = own.series_id
    ),
    best AS
    (
        SELECT
            mine.id AS id, mine.day AS day, rated.series_id AS best_id, rated.rate AS best_rate, rated.month AS best_month
        FROM mine
        INNER JOIN rated ON rated.day = mine.day AND rated.currency = mine.currency AND rated.family = mine.family
            AND rated.class = mine.class AND rated.tac_kind = mine.tac_kind
        WHERE mine.family != '' AND mine.class != '' AND mine.tac_kind != ''
        ORDER BY id, day, best_rate, rated.equity DESC, best_id
        LIMIT 1 BY id, day
    )
SELECT
    mine.id AS series_id, mine.day AS day, mine.currency AS currency, mine.family AS family, toBool(mine.family_later) AS family_later, mine.class AS class, toBool(mine.class_later) AS class_later,
    mine.tac_kind AS tac_kind, mine.rate AS rate,
    best.best_id AS best_id, best.best_rate AS best_rate, best.best_month AS best_month,
    ifNull(toString(named.run), '') AS best_run, ifNull(toString(named.serie), '') AS best_serie, ifNull(funds.name, '') AS best_fund,
    multiIf(mine.family = '', 'no_family', mine.tac_kind = '', 'no_tac', mine.class = '', 'no_class', '') AS reason
FROM mine
LEFT JOIN best ON best.id = mine.id AND best.day = mine.day
LEFT JOIN (SELECT series_id, fund_id, run, serie FROM series WHERE batch = {batch:UInt64}) AS named ON named.series_id = best.best_id
LEFT JOIN (SELECT fund_id, name FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = named.fund_id
ORDER BY series_id, day
SETTINGS join_use_nulls = 0
