-- The regulator's rating of a series in force at a date, always in one row: that of the
-- newest comparator dated on or before it, or the reason why there is none (RULES 3).
--   run          RUN of the fund without check digit
--   names        the names of the series, the newest first
--   valid_from, valid_until  first and last day of each name
--   as_of        the date; 2149-06-06 for the newest file loaded
SELECT
    nullIf(line.spheres, 0) AS spheres,
    cuota_spheres_reason(file.lines, later.lines, line.run, line.spheres) AS spheres_reason,
    if(file.lines = 0, NULL, file.date) AS spheres_date,
    multiIf(file.lines = 0, NULL, line.run = 0, file.loaded_at, line.revision) AS spheres_loaded_at,
    multiIf(file.lines = 0, NULL, line.run = 0, file.sha256, toString(line.source_sha256)) AS spheres_sha256,
    nullIf(toString(line.family_rar), '') AS family_rar,
    nullIf(toString(line.investor_class), '') AS class_dated
FROM
(
    SELECT
        count() AS lines, max(date) AS date,
        argMax(revision, (revision, source_sha256)) AS loaded_at, toString(argMax(source_sha256, (revision, source_sha256))) AS sha256
    FROM official_return_as_of(batch = {batch:UInt64}, as_of = {as_of:Date})
) AS file
CROSS JOIN
(
    SELECT count() AS lines FROM fact_official_return
    WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64})) AND date > {as_of:Date}
) AS later
LEFT JOIN
(
    -- The same as series_official_return_as_of, for one series.
    SELECT * FROM official_return_as_of(batch = {batch:UInt64}, as_of = {as_of:Date})
    WHERE run = {run:UInt32} AND serie IN {names:Array(String)}
    ORDER BY date BETWEEN {valid_from:Array(Date)}[indexOf({names:Array(String)}, serie)]
                      AND {valid_until:Array(Date)}[indexOf({names:Array(String)}, serie)] DESC,
             indexOf({names:Array(String)}, serie)
    LIMIT 1
) AS line ON true
