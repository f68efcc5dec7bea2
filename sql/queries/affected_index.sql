-- The points of family indices that are computed with the line of one day, each with the columns of family_index that
-- are: see docs/rules.md, "What a line touches". moves says that the step to the point is.
--   date           the day of the line
--   columns        the columns of cartola_daily that change
--   line_days      rows of affected_days.sql, as a table
--   line_standing  rows of affected_standing.sql, as a table
WITH
parts.line_columns,
    -- The steps with a change of the series that moves or that the line weighs. Only a change that moves may make its
    -- series count or not.
    steps AS
    (
        SELECT of_family, of_currency, on_date, since, max(judged) AS counts_move
        FROM
        (
            SELECT family AS of_family, in_currency AS of_currency, date AS on_date, previous AS since, daily_moves AS judged
            FROM line_days
            WHERE daily_moves OR daily_weighs
            UNION ALL
            SELECT toString(family_rar), toString(currency), date, previous_date, toBool(of_quota OR of_factor)
            FROM batch_family_long_step(batch = {batch:UInt64}, from = {date:Date}, to = toDate({date:Date}) + 7)
            WHERE arrayExists(change -> change.1 = {series_id:UInt32}, changes)
              AND (previous_date <= line_day AND (of_quota OR of_factor) OR previous_date = line_day AND of_equity)
        )
        GROUP BY of_family, of_currency, on_date, since
    ),
    points AS
    (
        SELECT index_day.family_rar AS family, index_day.currency AS currency, index_day.date AS date, equity_share,
               step IS NOT NULL AND steps.of_family != '' AS moves, moves AND steps.counts_move AS counts_move
        FROM index_day
        LEFT JOIN steps
            ON steps.of_family = toString(index_day.family_rar) AND steps.of_currency = toString(index_day.currency)
            AND steps.on_date = index_day.date AND steps.since = ifNull(index_day.previous_date, toDate(0))
        WHERE batch = {batch:UInt64} AND value IS NOT NULL AND date >= line_day
          AND (family_rar, currency) IN (SELECT family, in_currency FROM line_days UNION ALL SELECT family, in_currency FROM line_standing)
    ),
    walked AS
    (
        -- Every level after a step that moves is the product of it.
        SELECT *, max(moves) OVER (PARTITION BY family, currency ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS level_moves
        FROM points
    )
SELECT
    toString(family) AS of_family, toString(currency) AS in_currency, date AS on_date, toBool(moves) AS step_moves,
    formatRowNoNewline('JSONEachRow', family, currency, date) AS key,
    arrayConcat(moves ? ['index_return'] : [], counts_move ? ['eligible_series', 'eligible_share'] : [], level_moves ? ['level'] : [],
                of_equity AND equity_share IS NOT NULL AND (family, currency, date) IN (SELECT family, in_currency, date FROM line_standing)
                    ? ['eligible_share'] : []) AS moved
FROM walked
WHERE notEmpty(moved)
SETTINGS join_use_nulls = 0
