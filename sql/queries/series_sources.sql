-- Which line of which file states the newest figures of some series, for their pages: for each series a
-- row for the quota of a day, for the line of the regulator's comparator that is in force at a date, and
-- for the cost rate that a file states for a month. A figure that no file of the batch states has no row,
-- and neither has a cost rate of a batch that was built before tac_month had its line. official has the
-- returns that the comparator states, nominal and real of 1, 3 and 5 years, fraction per year; it is
-- empty in other rows.
--   quoted_on   for each of them, the day of its quota
--   tac_kinds   for each of them, the kind of its cost rate: synthetic, stated, or something else for one that no file states
--   tac_months  for each of them, the month end of its cost rate
--   comparator  day of the comparator that is in force (comparator_date.sql)
--   names       given_names: a table that is sent with the statement, with columns of batch_series_name; read_names: the view
--               looks the names of the series up, which takes long to plan. A view that is not named is not planned.
-- A day or month of 1970-01-01 means none: no file has rows of it.
WITH
    read_names AS
    (
        SELECT series_id, run, serie, position, valid_from, valid_until
        FROM batch_series_name(batch = {batch:UInt64})
        WHERE series_id IN {series:Array(UInt32)}
    ),
    lines AS
    (
        SELECT
            run AS line_run, serie AS line_serie, date, 'quota' AS item, 'cartola' AS dataset, revision, source_sha256, source_line, void,
            []::Array(Nullable(Decimal(18, 8))) AS percents
        FROM fact_quota
        WHERE (run, serie) IN (SELECT run, serie FROM {names:Identifier}) AND date IN {quoted_on:Array(Date)}
        UNION ALL
        SELECT run, serie, date, 'rating', 'returns-comparator', revision, source_sha256, source_line, false, [nominal_1y, real_1y, nominal_3y, real_3y, nominal_5y, real_5y]
        FROM fact_official_return
        WHERE (run, serie) IN (SELECT run, serie FROM {names:Identifier}) AND date = {comparator:Date}
    )
SELECT *
FROM
(
    SELECT
        series_id, item, dataset, date AS stated_on,
        arrayMap(percent -> toFloat64(toDecimal128(percent, 10) / 100), percents) AS official,
        toString(source_sha256) AS sha256, source_line AS line, revision AS published_at
    FROM
    (
        SELECT *
        FROM lines
        INNER JOIN (SELECT *, transform(series_id, {series:Array(UInt32)}, {quoted_on:Array(Date)}, toDate(0)) AS quoted FROM {names:Identifier}) AS named
            ON named.run = line_run AND named.serie = line_serie
        WHERE (item = 'rating' OR date = quoted) AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
        -- The row that counts, as in batch_outranked_quota, batch_quota and series_official_return_as_of.
        ORDER BY series_id, item, date BETWEEN valid_from AND valid_until DESC, position, revision DESC, source_sha256 DESC, source_line DESC, void
        LIMIT 1 BY series_id, item
    )
    UNION ALL
    SELECT series_id, 'tac', toString(dataset), month, [], toString(source_sha256), source_line, assumeNotNull(revision)
    FROM tac_month
    WHERE batch = {batch:UInt64} AND series_id IN {series:Array(UInt32)} AND (series_id, month, tac_kind) IN arrayZip({series:Array(UInt32)}, {tac_months:Array(Date)}, {tac_kinds:Array(String)})
      AND source_sha256 != ''
)
ORDER BY series_id, item
