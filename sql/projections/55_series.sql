-- Series of mutual funds with a row up to the cutoff, and their attributes from the
-- catalogues. A series of which every row was rejected is not current: nothing is known of it
-- but its name. Families, classes, spheres and TAC come from the newest file, which may be
-- newer than the cutoff and so has a date of its own (RULES 3). An attribute under any name
-- of a renamed series applies to the series.
INSERT INTO series
    (batch, series_id, fund_id, run, serie, currency, category, family_rar, family_display, family_studies,
     class_dated, classification_date, class_tac, tac, tac_kind, tac_date,
     spheres, spheres_reason, spheres_date, spheres_loaded_at, spheres_sha256, apv, first_date, last_date, current,
     previous_serie, current_serie, first_current_date, alias_ids, last_family, last_category)
WITH
    days AS
    (
        -- A void day (docs/decisions/0002) states no currency. The row before it does, if
        -- it is at most 31 days older, as in the daily market (60_batch_market_change).
        SELECT
            series_id, min(date) AS first_date, max(date) AS last_date, countIf(quota IS NOT NULL) > 0 AS quoted,
            if(last_date - maxIf(date, currency != '') <= 31, argMaxIf(currency, date, currency != ''), '') AS currency
        FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE date <= {as_of:Date}
        GROUP BY series_id
    ),
    -- The comparator has one date. Its newest line represents the file.
    comparator AS
    (
        SELECT max(date) AS date, argMax(revision, (revision, source_sha256)) AS loaded_at, argMax(source_sha256, (revision, source_sha256)) AS sha256, count() AS lines
        FROM official_return_as_of(batch = {batch:UInt64}, as_of = '2149-06-06')
    ),
    sheet AS
    (
        SELECT labels.series_id AS series_id, lines.run AS run, lines.category AS category, lines.serie_apv AS apv
        FROM batch_aafm_daily(batch = {batch:UInt64}) AS lines
        INNER JOIN
        (
            SELECT
                *, trimRight(substringUTF8(serie, 1, 12)) AS cut_name,
                uniqExact(series_id) OVER (PARTITION BY run, cut_name) AS namesakes
            FROM batch_series_name(batch = {batch:UInt64})
        ) AS labels ON labels.run = lines.run AND labels.cut_name = lines.serie
        -- The sheet cuts names to twelve characters: of several series with the same ones it says nothing.
        WHERE labels.namesakes = 1 OR labels.serie = lines.serie
        ORDER BY series_id, lines.date DESC, lines.date BETWEEN labels.valid_from AND labels.valid_until DESC, labels.position
        LIMIT 1 BY series_id
    ),
    exchanged AS
    (
        SELECT series_id, groupArray(ended_on) AS on_days
        FROM batch_series_end(batch = {batch:UInt64})
        WHERE NOT by_register
        GROUP BY series_id
    ),
    stated AS
    (
        -- The newest file leaves out closed series. An older one states their family.
        SELECT
            series_id,
            argMaxIf(family_rar, valid_from, family_rar IS NOT NULL)                            AS last_family,
            argMaxIf(category, valid_from, category IS NOT NULL AND source = 'comparator') AS last_compared,
            argMaxIf(category, valid_from, category IS NOT NULL AND source = 'sheet')      AS last_listed
        FROM classification
        WHERE batch = {batch:UInt64}
        GROUP BY series_id
    ),
    renamed AS
    (
        SELECT
            series_id,
            anyIf(serie, toDate({as_of:Date}) BETWEEN valid_from AND valid_until) AS cutoff_serie,
            anyIf(serie, position = 2)      AS previous_serie,
            anyIf(serie, position = 1)      AS current_serie,
            anyIf(valid_from, position = 1) AS first_current_date,
            arrayMap(label -> label.2, arraySort(groupArray((position, label_id)))) AS alias_ids
        FROM series_label
        WHERE batch = {batch:UInt64}
        GROUP BY series_id
    )
SELECT
    {batch:UInt64},
    days.series_id,
    fund_registry.id,
    substring(fund_registry.key, 6),
    if(renamed.series_id = 0, series_registry.serie, renamed.cutoff_serie),
    if(days.currency IN ('PESOS', 'DOLAR'), days.currency, NULL),
    nullIf(multiIf(by_family.category != '', by_family.category, by_display.category != '', by_display.category, by_sheet.category), ''),
    nullIf(classified.family_rar, ''),
    nullIf(classified.family_display, ''),
    nullIf(classified.family_studies, ''),
    nullIf(classified.investor_class, ''),
    if(classified.run = 0, NULL, classified.date),
    nullIf(costs.investor_class, ''),
    if(costs.run = 0, NULL, costs.tac),
    nullIf(costs.tac_kind, ''),
    if(costs.run = 0, NULL, costs.date),
    nullIf(classified.spheres, 0),
    multiIf(comparator.lines = 0, 'source_unavailable', classified.run = 0, 'not_in_source', classified.spheres = 0, 'not_rated_by_cmf', NULL),
    if(comparator.lines = 0, NULL, comparator.date),
    multiIf(comparator.lines = 0, NULL, classified.run = 0, comparator.loaded_at, classified.revision),
    multiIf(comparator.lines = 0, NULL, classified.run = 0, comparator.sha256, classified.source_sha256),
    multiIf(sheet.apv = 'Si', true, sheet.apv = 'No', false, NULL),
    days.first_date,
    days.last_date,
    cuota_series_current(days.quoted, days.last_date, toDate({as_of:Date}), funds.ended, exchanged.on_days),
    if(renamed.series_id = 0, NULL, renamed.previous_serie),
    if(renamed.series_id = 0, NULL, renamed.current_serie),
    if(renamed.series_id = 0, NULL, renamed.first_current_date),
    renamed.alias_ids,
    stated.last_family,
    coalesce(stated.last_compared, stated.last_listed)
FROM days
INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'series') AS series_registry ON series_registry.id = days.series_id
INNER JOIN (SELECT id, run, key FROM registry WHERE kind = 'fund') AS fund_registry ON fund_registry.run = series_registry.run
LEFT JOIN batch_fund(batch = {batch:UInt64}) AS funds ON funds.run = series_registry.run
LEFT JOIN exchanged ON exchanged.series_id = days.series_id
LEFT JOIN renamed ON renamed.series_id = days.series_id
LEFT JOIN stated ON stated.series_id = days.series_id
LEFT JOIN series_official_return_as_of(batch = {batch:UInt64}, as_of = '2149-06-06') AS classified ON classified.series_id = days.series_id
LEFT JOIN batch_tac(batch = {batch:UInt64}) AS costs ON costs.series_id = days.series_id
LEFT JOIN sheet ON sheet.series_id = days.series_id
LEFT ANY JOIN category_name AS by_family ON by_family.vocabulary = 'family_rar' AND by_family.name = classified.family_rar
LEFT ANY JOIN category_name AS by_display ON by_display.vocabulary = 'family_display' AND by_display.name = classified.family_display
LEFT ANY JOIN category_name AS by_sheet ON by_sheet.vocabulary = 'aafm' AND by_sheet.name = sheet.category
CROSS JOIN comparator
