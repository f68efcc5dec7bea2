-- The regulator's ratings, each with the series that have it and the first day on which it is
-- in force: the day of a comparator. Before the first comparator, a series has no rating,
-- from 1970-01-02 on. The columns are those of spheres.sql, which gives one series at one
-- date, and those of the same line that market_as_of.sql shows. They come in the order of days.
WITH
    lines AS
    (parts.newest_facts(table: fact_official_return; key: date, run, serie)),
    files AS
    (
        SELECT
            date, count() AS line_count,
            argMax(revision, (revision, source_sha256)) AS loaded_at, toString(argMax(source_sha256, (revision, source_sha256))) AS sha256
        FROM lines
        GROUP BY date
        UNION ALL
        SELECT toDate('1970-01-02'), 0, toDateTime64(0, 3, 'UTC'), ''
    )
SELECT
    files.date AS valid_from,
    groupArray(known.id) AS series,
    nullIf(line.spheres, 0) AS spheres,
    cuota_spheres_reason(files.line_count, (SELECT count() FROM lines), line.run, line.spheres) AS spheres_reason,
    if(files.line_count = 0, NULL, files.date) AS spheres_date,
    multiIf(files.line_count = 0, NULL, line.run = 0, files.loaded_at, line.revision) AS spheres_loaded_at,
    multiIf(files.line_count = 0, NULL, line.run = 0, files.sha256, toString(line.source_sha256)) AS spheres_sha256,
    nullIf(toString(line.family_rar), '') AS family_rar,
    nullIf(toString(line.investor_class), '') AS class_dated,
    nullIf(toString(line.family_studies), '') AS family_studies,
    if(line.run = 0, NULL, line.date) AS classification_date
FROM (SELECT DISTINCT series_id AS id FROM batch_series_name(batch = {batch:UInt64})) AS known
CROSS JOIN files
LEFT JOIN batch_official_return(batch = {batch:UInt64}) AS line ON line.series_id = known.id AND line.date = files.date
GROUP BY ALL
ORDER BY valid_from
