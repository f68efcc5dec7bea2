-- Lines that may state the newest figures of some series, for their pages: of quotas on some days, of the regulator's
-- comparator that is in force at a date, and of the cost rates that files state for some months. They come in no order,
-- with every revision, and also from files that the batch does not have: series.readSources chooses those that count.
-- Joins and sorting here took longer to plan than all else of a page. A cost rate has its series, any other line
-- the name of one. A cost rate of a batch that was built before tac_month had its line has no row.
-- official has the returns that the comparator states, nominal and real of 1, 3 and 5 years, fraction per year; it is
-- empty in other rows.
--   runs, series_names  RUN and serie of each name of the series
--   quoted_on           for each name, the day of the quota of its series
--   series, tac_kinds, tac_months  for each of them, the kind of its cost rate (synthetic, stated, or something else for
--                       one that no file states), and its month end
--   comparator          day of the comparator that is in force (comparator_date.sql)
-- A day or month of 1970-01-01 means none: no file has rows of it.
SELECT
    'quota' AS item, toUInt32(0) AS series_id, run, toString(serie) AS serie_name, 'cartola' AS dataset, date AS stated_on,
    []::Array(Nullable(Float64)) AS official,
    toString(source_sha256) AS sha256, source_line AS line, revision AS published_at, void
FROM fact_quota
WHERE (run, serie, date) IN arrayZip({runs:Array(UInt32)}, {series_names:Array(String)}, {quoted_on:Array(Date)})
  AND date IN {quoted_on:Array(Date)} -- so that only the parts of these years are read
UNION ALL
SELECT
    'rating', 0, run, toString(serie), 'returns-comparator', date,
    arrayMap(percent -> toFloat64(toDecimal128(percent, 10) / 100), [nominal_1y, real_1y, nominal_3y, real_3y, nominal_5y, real_5y]),
    toString(source_sha256), source_line, revision, false
FROM fact_official_return
WHERE (run, serie) IN arrayZip({runs:Array(UInt32)}, {series_names:Array(String)}) AND date = {comparator:Date}
UNION ALL
SELECT 'tac', series_id, 0, '', toString(dataset), month, [], toString(source_sha256), source_line, assumeNotNull(revision), false
FROM tac_month
WHERE batch = {batch:UInt64} AND (series_id, month, tac_kind) IN arrayZip({series:Array(UInt32)}, {tac_months:Array(Date)}, {tac_kinds:Array(String)})
  AND source_sha256 != ''
SETTINGS max_threads = 1 -- for the rows of one page, starting a second thread takes longer than it saves
