-- The cartola rows of mutual funds that a later file corrects, or adds to a day that another file has stated
-- already, as batch N sees them (docs/backtests.md, section 2). statements has what was stated of the row, a correction after
-- what it corrects. known_on is the day on which a statement was known: that on which its file was
-- published, or the day of the row, if it was published first, more than 62 days after the day (loaded_later).
-- It reads the rows of few files, and rows with their keys: none, if no day between from and to has two files.
--   SELECT series_id, date, statements.known_on, statements.quota FROM batch_later_statement(batch = 7, from = '2025-01-01', to = '2025-12-31')
CREATE OR REPLACE VIEW batch_later_statement AS
WITH
    days AS (SELECT date, sha256, revision, place FROM batch_cartola_day(batch = {batch:UInt64}) WHERE date BETWEEN {from:Date} AND {to:Date}),
    names AS (SELECT run, serie, series_id, position, valid_from, valid_until FROM batch_series_name(batch = {batch:UInt64})),
    -- All rows of files on days of which they are not the first ones, with the rows of the other names of their series.
    again AS
    (
        SELECT DISTINCT others.run AS run, others.serie AS serie, keys.date AS date
        FROM
        (
            SELECT series_id, date
            FROM (SELECT DISTINCT run, serie, date FROM fact_quota WHERE (source_sha256, date) IN (SELECT sha256, date FROM days WHERE place > 1)) AS later
            INNER JOIN names ON names.run = later.run AND names.serie = later.serie
        ) AS keys
        INNER JOIN names AS others ON others.series_id = keys.series_id
    ),
    stated AS
    (
        SELECT
            labels.series_id AS series_id, rows.date AS date, revision, source_sha256, source_line, NOT void AS valid,
            ifNull(rows.quota > 0, false) AS sound, if(sound, rows.quota, NULL) AS value, if(sound, cuota_currency(moneda), '') AS currency, if(sound, rows.equity, NULL) AS worth,
            sipHash64(toString((sound, value, currency, worth, units_outstanding, units_contributed, units_redeemed,
                                fixed_fee, variable_fee, affected_expenses, unaffected_expenses, adjustment_factor, distribution_factor))) AS said
        FROM
        (
            SELECT * FROM fact_quota
            WHERE (run, serie, date) IN again
              AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
        ) AS rows
        INNER JOIN names AS labels ON labels.run = rows.run AND labels.serie = rows.serie
        -- The name that counts on the day (batch_outranked_quota).
        QUALIFY dense_rank() OVER (PARTITION BY labels.series_id, rows.date ORDER BY rows.date BETWEEN labels.valid_from AND labels.valid_until DESC, labels.position) = 1
    ),
    followed AS
    (
        SELECT
            series_id, date,
            -- A row that is stored twice until ClickHouse merges it counts once.
            arraySort(groupUniqArray((revision, source_sha256, source_line, valid, said, sound, value, currency, worth))) AS list,
            uniqExact(said) AS versions,
            toDate(list[1].1) - date > 62 AS loaded_later
        FROM stated
        GROUP BY series_id, date
    )
SELECT
    followed.series_id AS series_id, followed.date AS date, loaded_later,
    CAST(arrayMap((s, place) -> (if(place = 1 AND loaded_later, followed.date, toDate(s.1)), s.5, s.6, s.7, s.8, s.9), list, arrayEnumerate(list)),
         'Array(Tuple(known_on Date, said UInt64, sound Bool, quota Nullable(Decimal(18, 6)), currency String, equity Nullable(Decimal(18, 4))))') AS statements
FROM followed
INNER JOIN (SELECT date, revision FROM days WHERE place = 1) AS firsts ON firsts.date = followed.date
WHERE versions > 1 OR list[1].1 > firsts.revision
