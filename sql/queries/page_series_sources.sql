-- From which line of which file the newest figures of some series come, for their pages: for each
-- series a row for the quota of a day, for the line of the regulator's comparator that is in force at
-- a date, and for the cost rate that a file states for a month with the costs of underlying funds.
-- What no file of the batch states has no row. official has the returns that the comparator states,
-- nominal and real of 1, 3 and 5 years, fraction per year; it is empty in other rows.
--   batch       number of the batch
--   series      ids of the series
--   quoted_on   for each of them, the day of its quota
--   tac_months  for each of them, the month end of its cost rate
--   as_of       date of the comparator
-- No file has rows of 1970-01-01.
WITH labels AS
(
    SELECT
        series_id, run, serie, position, valid_from, valid_until,
        transform(series_id, {series:Array(UInt32)}, {quoted_on:Array(Date)}, toDate(0))  AS quoted,
        transform(series_id, {series:Array(UInt32)}, {tac_months:Array(Date)}, toDate(0)) AS tac_month
    FROM batch_series_name(batch = {batch:UInt64})
    WHERE series_id IN {series:Array(UInt32)}
)
SELECT
    series_id, item, dataset, stated_on,
    arrayMap(percent -> toFloat64(toDecimal128(percent, 10) / 100), percents) AS official,
    hash AS sha256, line, published_at, nullIf(files.file, '') AS file, seen.seen_at AS seen_at
FROM
(
    SELECT
        series_id, 'quota' AS item, 'cartola' AS dataset, date AS stated_on, toString(source_sha256) AS hash, source_line AS line, revision AS published_at,
        []::Array(Nullable(Decimal(18, 8))) AS percents
    FROM
    (
        SELECT labels.series_id AS series_id, date, revision, source_sha256, source_line
        FROM fact_quota AS facts
        INNER JOIN labels ON labels.run = facts.run AND labels.serie = facts.serie
        WHERE (facts.run, facts.serie) IN (SELECT run, serie FROM labels) AND date IN {quoted_on:Array(Date)} AND date = labels.quoted
          AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
        -- The row that counts, as in batch_outranked_quota and batch_quota.
        ORDER BY series_id, date BETWEEN valid_from AND valid_until DESC, position, revision DESC, source_sha256 DESC, source_line DESC, void
        LIMIT 1 BY series_id
    )
    UNION ALL
    SELECT series_id, 'rating', 'returns-comparator', date, toString(source_sha256), source_line, revision, [nominal_1y, real_1y, nominal_3y, real_3y, nominal_5y, real_5y]
    FROM
    (
        SELECT labels.series_id AS series_id, lines.*
        FROM official_return_as_of(batch = {batch:UInt64}, as_of = {as_of:Date}) AS lines
        INNER JOIN labels ON labels.run = lines.run AND labels.serie = lines.serie
        ORDER BY series_id, date BETWEEN valid_from AND valid_until DESC, position
        LIMIT 1 BY series_id
    )
    UNION ALL
    SELECT series_id, 'tac', 'tac-comparator', date, toString(source_sha256), source_line, revision, []
    FROM
    (
        SELECT labels.series_id AS series_id, date, revision, source_sha256, source_line
        FROM fact_tac AS facts
        INNER JOIN labels ON labels.run = facts.run AND labels.serie = facts.serie
        WHERE (facts.run, facts.serie) IN (SELECT run, serie FROM labels) AND toLastDayOfMonth(date) = labels.tac_month AND kind = 'synthetic'
          AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
        ORDER BY series_id, date BETWEEN valid_from AND valid_until DESC, position, revision DESC, source_sha256 DESC, source_line DESC
        LIMIT 1 BY series_id
    )
) AS stated
LEFT JOIN (SELECT sha256, any(name) AS file FROM (SELECT sha256, file AS name FROM complete_file) GROUP BY sha256) AS files ON files.sha256 = stated.hash
LEFT JOIN (SELECT sha256, min(seen_at) AS seen_at FROM (SELECT sha256, seen_at FROM seen_file) GROUP BY sha256) AS seen ON seen.sha256 = stated.hash
ORDER BY series_id, item
SETTINGS join_use_nulls = 0
