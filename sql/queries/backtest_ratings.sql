-- What the comparators of the regulator and the sheets of the association say of each series, every
-- statement of them (docs/backtests.md, section 2). It has one row for each series. Its columns
-- are one text of the format RowBinary, each an array by the dates of the statements, a correction after what it
-- corrects: 1 for the comparator, 0 for the sheet, of which only changes are listed; date of the
-- file; the day on which the statement was known; family; category; spheres, 0 for none; and investor class.
--   part, parts  series whose id leaves the rest {part} when divided by {parts}
WITH
    lines AS
    (
        SELECT
            run, serie, date, revision, source_sha256, source_line, family_rar, family_display, spheres, investor_class,
            if(revision = min(revision) OVER (PARTITION BY run, serie, date) AND toDate(revision) - date > 62, date, toDate(revision)) AS known_on
        FROM fact_official_return
        WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
    ),
    compared AS
    (
        SELECT
            labels.series_id AS series_id, true AS compares, date, known_on, revision, toString(family_rar) AS family,
            if(by_family.category != '', by_family.category, by_display.category) AS category, ifNull(spheres, 0) AS spheres, toString(lines.investor_class) AS class
        FROM lines
        INNER JOIN batch_series_name(batch = {batch:UInt64}) AS labels ON labels.run = lines.run AND labels.serie = lines.serie
        LEFT ANY JOIN category_name AS by_family ON by_family.vocabulary = 'family_rar' AND by_family.name = lines.family_rar
        LEFT ANY JOIN category_name AS by_display ON by_display.vocabulary = 'family_display' AND by_display.name = lines.family_display
        ORDER BY series_id, date, revision, lines.source_sha256 DESC, date BETWEEN labels.valid_from AND labels.valid_until DESC, labels.position, lines.source_line DESC
        LIMIT 1 BY series_id, date, revision
    ),
    listed AS
    (
        SELECT
            classification.series_id AS series_id, false AS compares, stated_on AS date,
            if(sheets.first_date = toDate(0) OR toDate(sheets.revision) - stated_on > 62, stated_on, toDate(sheets.revision)) AS known_on,
            sheets.revision AS revision, '' AS family, ifNull(toString(category), '') AS category, toUInt8(0) AS spheres, '' AS class
        FROM (SELECT series_id, stated_on, category FROM classification WHERE batch = {batch:UInt64} AND source = 'sheet') AS classification
        LEFT JOIN
        (
            SELECT assumeNotNull(files.first_date) AS first_date, min(files.revision) AS revision
            FROM complete_file AS files
            WHERE dataset = 'aafm' AND files.first_date IS NOT NULL AND sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
            GROUP BY first_date
        ) AS sheets ON sheets.first_date = stated_on
    )
SELECT
    series_id,
    formatRow('RowBinary', groupArray(compares), groupArray(date), groupArray(known_on), groupArray(family), groupArray(category),
              groupArray(spheres), groupArray(class)) AS columns
FROM
(
    SELECT series_id, compares, date, known_on, family, category, spheres, class
    FROM (SELECT * FROM compared UNION ALL SELECT * FROM listed)
    WHERE series_id % {parts:UInt32} = {part:UInt32}
    ORDER BY series_id, date, revision
)
GROUP BY series_id
