-- The classification of each series by date: one row whenever a source first states
-- something new. Days before the first statement have the first one. A newer file never
-- changes the past.
INSERT INTO classification
    (batch, series_id, source, valid_from, stated_on, family_rar, family_display, category)
WITH
    statements AS
    (
        SELECT
            run, serie, 'comparator' AS source, date,
            nullIf(family_rar, '') AS family_rar,
            nullIf(family_display, '') AS family_display,
            nullIf(if(by_family.category != '', by_family.category, by_display.category), '') AS category
        FROM
        (
            SELECT run, serie, date, family_rar, family_display
            FROM fact_official_return
            WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
            ORDER BY run, serie, date, revision DESC, source_sha256 DESC, source_line DESC
            LIMIT 1 BY run, serie, date
        ) AS lines
        LEFT ANY JOIN category_name AS by_family ON by_family.vocabulary = 'family_rar' AND by_family.name = lines.family_rar
        LEFT ANY JOIN category_name AS by_display ON by_display.vocabulary = 'family_display' AND by_display.name = lines.family_display
        UNION ALL
        SELECT run, serie, 'sheet', date, NULL, NULL, nullIf(by_sheet.category, '')
        FROM
        (
            SELECT run, serie, date, category AS word
            FROM fact_aafm_daily
            WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
            ORDER BY run, serie, date, revision DESC, source_sha256 DESC, source_line DESC
            LIMIT 1 BY run, serie, date
        ) AS lines
        LEFT ANY JOIN category_name AS by_sheet ON by_sheet.vocabulary = 'aafm' AND by_sheet.name = lines.word
    ),
    identified AS
    (
        -- The sheet cuts series names to twelve characters.
        SELECT * FROM
        (
            SELECT labels.series_id AS series_id, source, date, family_rar, family_display, category,
                   labels.position AS position, labels.valid_from AS valid_from, labels.valid_until AS valid_until
            FROM statements
            INNER JOIN batch_series_name(batch = {batch:UInt64}) AS labels
                ON labels.run = statements.run AND labels.serie = statements.serie
            WHERE statements.source = 'comparator'
            UNION ALL
            SELECT labels.series_id, source, date, family_rar, family_display, category, labels.position, labels.valid_from, labels.valid_until
            FROM statements
            INNER JOIN batch_series_name(batch = {batch:UInt64}) AS labels
                ON labels.run = statements.run AND trimRight(substringUTF8(labels.serie, 1, 12)) = statements.serie
            WHERE statements.source = 'sheet'
        )
        ORDER BY series_id, source, date, date BETWEEN valid_from AND valid_until DESC, position
        LIMIT 1 BY series_id, source, date
    )
SELECT
    {batch:UInt64}, series_id, source,
    if(is_first, toDate('1970-01-02'), date),
    date, family_rar, family_display, category
FROM
(
    SELECT
        series_id, source, date, family_rar, family_display, category,
        tuple(ifNull(family_rar, ''), ifNull(family_display, ''), ifNull(category, '')) AS said,
        lagInFrame(said) OVER earlier AS said_before,
        row_number() OVER earlier = 1 AS is_first
    FROM identified
    WINDOW earlier AS (PARTITION BY series_id, source ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
)
WHERE is_first OR said != said_before
