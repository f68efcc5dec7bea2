-- From which line of which file the newest figures of a series come, for its page: a row for the
-- quota of a day, for the line of the regulator's comparator that is in force at a date, and for
-- the cost rate that a file states for a month with the costs of underlying funds. What no file of
-- the batch states has no row. official has the returns that the comparator states, nominal and real of
-- 1, 3 and 5 years, fraction per year; it is empty in other rows.
--   batch      number of the batch
--   run        RUN of the fund without check digit
--   names      the names of the series, the newest first
--   valid_from, valid_until  first and last day of each name
--   quoted_on  day of the quota
--   as_of      date of the comparator
--   tac_month  month end of the cost rate
SELECT
    item, dataset, stated_on,
    arrayMap(percent -> toFloat64(toDecimal128(percent, 10) / 100), percents) AS official,
    hash AS sha256, line, published_at, nullIf(files.file, '') AS file, seen.seen_at AS seen_at
FROM
(
    SELECT 'quota' AS item, 'cartola' AS dataset, date AS stated_on, toString(source_sha256) AS hash, source_line AS line, revision AS published_at,
        []::Array(Nullable(Decimal(18, 8))) AS percents
    FROM
    (
        SELECT * FROM fact_quota
        WHERE run = {run:UInt32} AND serie IN {names:Array(String)} AND date = {quoted_on:Date}
          AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
        -- The row that counts, as in batch_outranked_quota and batch_quota.
        ORDER BY date BETWEEN {valid_from:Array(Date)}[indexOf({names:Array(String)}, serie)]
                          AND {valid_until:Array(Date)}[indexOf({names:Array(String)}, serie)] DESC,
                 indexOf({names:Array(String)}, serie), revision DESC, source_sha256 DESC, source_line DESC, void
        LIMIT 1
    )
    UNION ALL
    SELECT 'rating', 'returns-comparator', date, toString(source_sha256), source_line, revision, [nominal_1y, real_1y, nominal_3y, real_3y, nominal_5y, real_5y]
    FROM
    (
        SELECT * FROM official_return_as_of(batch = {batch:UInt64}, as_of = {as_of:Date})
        WHERE run = {run:UInt32} AND serie IN {names:Array(String)}
        ORDER BY date BETWEEN {valid_from:Array(Date)}[indexOf({names:Array(String)}, serie)]
                          AND {valid_until:Array(Date)}[indexOf({names:Array(String)}, serie)] DESC,
                 indexOf({names:Array(String)}, serie)
        LIMIT 1
    )
    UNION ALL
    SELECT 'tac', 'tac-comparator', date, toString(source_sha256), source_line, revision, []
    FROM
    (
        SELECT * FROM fact_tac
        WHERE run = {run:UInt32} AND serie IN {names:Array(String)} AND toLastDayOfMonth(date) = {tac_month:Date} AND kind = 'synthetic'
          AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
        ORDER BY date BETWEEN {valid_from:Array(Date)}[indexOf({names:Array(String)}, serie)]
                          AND {valid_until:Array(Date)}[indexOf({names:Array(String)}, serie)] DESC,
                 indexOf({names:Array(String)}, serie), revision DESC, source_sha256 DESC, source_line DESC
        LIMIT 1
    )
) AS stated
LEFT JOIN (SELECT sha256, any(name) AS file FROM (SELECT sha256, file AS name FROM complete_file) GROUP BY sha256) AS files ON files.sha256 = stated.hash
LEFT JOIN (SELECT sha256, min(seen_at) AS seen_at FROM (SELECT sha256, seen_at FROM seen_file) GROUP BY sha256) AS seen ON seen.sha256 = stated.hash
ORDER BY item
SETTINGS join_use_nulls = 0
