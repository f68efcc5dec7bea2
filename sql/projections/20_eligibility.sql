-- For whom each series is, by date: one row whenever a source first states something new. The newest line
-- of each source about the series counts, also where it says nothing. A newer file never changes the past,
-- and before the first file nothing is known.
INSERT INTO eligibility (batch, series_id, valid_from, apv, digital, qualified)
WITH
    names AS
    (
        SELECT
            run AS named_run, serie AS name, trimRight(substringUTF8(serie, 1, 12)) AS cut_name,
            series_id, position, valid_from, valid_until,
            uniqExact(series_id) OVER (PARTITION BY run, cut_name) AS namesakes
        FROM batch_series_name(batch = {batch:UInt64})
    ),
    -- The line of the comparator of returns counts before that of costs.
    comparators AS
    (
        SELECT run, serie, date, 1 AS place, serie_digital
        FROM (parts.newest_facts(table: fact_official_return; key: date, run, serie))
        UNION ALL
        SELECT run, serie, date, 2, serie_digital
        FROM (parts.newest_facts(table: fact_tac; key: date, run, serie))
    ),
    sheets AS
    (
        SELECT
            run, serie, date, serie_apv,
            multiIf(startsWith(word, 'Inversionistas Calificados'), 'yes', by_sheet.category != '', 'no', '') AS in_category
        FROM
        (
            SELECT run, serie, date, serie_apv, category AS word
            FROM (parts.newest_facts(table: fact_aafm_daily; key: date, run, serie))
        ) AS listed
        LEFT ANY JOIN category_name AS by_sheet ON by_sheet.vocabulary = 'aafm' AND by_sheet.name = listed.word
    ),
    lines AS
    (
        SELECT
            series_id, 'comparator' AS source, date, place, position, valid_from, valid_until,
            NULL AS apv, multiIf(serie_digital = '1', true, serie_digital = '0', false, NULL) AS digital, NULL AS qualified
        FROM comparators
        INNER JOIN names ON named_run = run AND name = serie
        UNION ALL
        -- The sheet cuts series names to twelve characters. Where several series of a fund have the same ones, a line
        -- says nothing of those whose name is longer.
        SELECT
            series_id, 'sheet', date, 1, position, valid_from, valid_until,
            multiIf(serie_apv = 'Si', true, serie_apv = 'No', false, NULL), NULL,
            multiIf(in_category = 'yes', true, in_category = 'no', false, NULL)
        FROM sheets
        INNER JOIN names ON named_run = run AND cut_name = serie
        WHERE namesakes = 1 OR name = serie
    ),
    identified AS
    (
        SELECT series_id, source, date, apv, digital, qualified
        FROM lines
        ORDER BY series_id, source, date, place, date BETWEEN valid_from AND valid_until DESC, position
        LIMIT 1 BY series_id, source, date
    ),
    news AS
    (
        SELECT series_id, source, date, apv, digital, qualified
        FROM
        (
            SELECT
                *, toString((apv, digital, qualified)) AS stated,
                lagInFrame(stated) OVER earlier AS stated_before
            FROM identified
            WINDOW earlier AS
                (PARTITION BY series_id, source ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
        )
        WHERE stated != stated_before -- which is empty of the first one
    )
SELECT {batch:UInt64}, series_id, date, sheet.1, comparator.1, sheet.2
FROM
(
    SELECT
        series_id, date,
        argMaxIf((apv, qualified), date, source = 'sheet') OVER by_then    AS sheet,
        argMaxIf(tuple(digital), date, source = 'comparator') OVER by_then AS comparator
    FROM news
    WINDOW by_then AS (PARTITION BY series_id ORDER BY date RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
)
ORDER BY series_id, date
LIMIT 1 BY series_id, date
