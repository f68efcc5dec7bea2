-- The values for the statements of sql/supersession: builds of days that no kept batch
-- sees, and files whose rejected rows are no longer kept, at most {most} of each. The
-- deletes do not look them up themselves, because each replica runs a delete by itself, on
-- the rows that it has at that time. dataset and source_sha256 are in hex, because
-- ClickHouse interprets escapes in the value of a parameter.
SELECT
    (SELECT count() FROM superseded_day) + (SELECT count() FROM superseded_market_day) + (SELECT count() FROM superseded_fi_day)
        + (SELECT count() FROM outdated_reject) AS superseded,
    toString((SELECT groupArray((date, build)) FROM (SELECT date, build FROM superseded_day ORDER BY date, build LIMIT {most:UInt32}))) AS days,
    toString((SELECT groupArray((date, build)) FROM (SELECT date, build FROM superseded_market_day ORDER BY date, build LIMIT {most:UInt32}))) AS market_days,
    toString((SELECT groupArray((date, build)) FROM (SELECT date, build FROM superseded_fi_day ORDER BY date, build LIMIT {most:UInt32}))) AS fi_days,
    toString((SELECT groupArray((hex(dataset), hex(source_sha256))) FROM (SELECT dataset, source_sha256 FROM outdated_reject ORDER BY dataset, source_sha256 LIMIT {most:UInt32}))) AS rejects
