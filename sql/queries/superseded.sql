-- The values for the statements that drop superseded rows (sql/garbage): builds of days that
-- no kept batch sees, by the table that lists them, and files whose rejected rows are no
-- longer kept, at most {most} of each. The deletes do not look them up themselves, because each replica
-- runs a delete by itself, on the rows that it has at that time. dataset and source_sha256
-- are in hex, because ClickHouse interprets escapes in the value of a parameter.
SELECT
    'series_day_version' AS list, (SELECT count() FROM superseded_series_day) AS superseded,
    toString((SELECT groupArray((date, build)) FROM (SELECT date, build FROM superseded_series_day ORDER BY date, build LIMIT {most:UInt32}))) AS some
UNION ALL
SELECT
    'market_day_version', (SELECT count() FROM superseded_market_day),
    toString((SELECT groupArray((date, build)) FROM (SELECT date, build FROM superseded_market_day ORDER BY date, build LIMIT {most:UInt32})))
UNION ALL
SELECT
    'fi_day_version', (SELECT count() FROM superseded_fi_day),
    toString((SELECT groupArray((date, build)) FROM (SELECT date, build FROM superseded_fi_day ORDER BY date, build LIMIT {most:UInt32})))
UNION ALL
SELECT
    'return_day_version', (SELECT count() FROM superseded_return_day),
    toString((SELECT groupArray((date, build)) FROM (SELECT date, build FROM superseded_return_day ORDER BY date, build LIMIT {most:UInt32})))
UNION ALL
SELECT
    'rejects', (SELECT count() FROM outdated_reject),
    toString((SELECT groupArray((hex(dataset), hex(source_sha256))) FROM (SELECT dataset, source_sha256 FROM outdated_reject ORDER BY dataset, source_sha256 LIMIT {most:UInt32})))
