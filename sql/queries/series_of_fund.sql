-- Every series of some funds, by name, with its latest day and the investor class that is
-- valid at the cutoff, else the one dated with the TAC. For series of investment funds the
-- latest day has the book value. A fund without series has one row with an empty run. An
-- unknown fund has no row.
--   funds  ids of the funds; empty: all
SELECT funds.fund_id AS fund_id, listed.* EXCEPT (fund_id, series_id)
FROM
(
    SELECT fund_id FROM fund
    WHERE batch = {batch:UInt64} AND (empty({funds:Array(UInt32)}) OR fund_id IN {funds:Array(UInt32)})
) AS funds
LEFT JOIN
(
    SELECT
        series.fund_id AS fund_id, toString(series.series_id) AS public_id, series.series_id AS series_id, series.run AS run,
        series.serie AS serie, series.currency AS currency, coalesce(series.class_dated, series.class_tac) AS investor_class,
        latest.date AS date, latest.quota AS quota, latest.equity AS equity, latest.shareholders AS shareholders
    FROM
    (
        SELECT * FROM series
        WHERE batch = {batch:UInt64} AND (empty({funds:Array(UInt32)}) OR fund_id IN {funds:Array(UInt32)})
    ) AS series
    LEFT JOIN
    (
        SELECT series_id, toNullable(date) AS date, quota, equity, shareholders
        FROM series_latest
        WHERE batch = {batch:UInt64}
          AND (empty({funds:Array(UInt32)})
               OR series_id IN (SELECT series_id FROM series WHERE batch = {batch:UInt64} AND fund_id IN {funds:Array(UInt32)}))
    ) AS latest ON latest.series_id = series.series_id
    UNION ALL
    SELECT
        fund_id, toString(instrument_id), assumeNotNull(series_id), run, assumeNotNull(serie), currency, NULL, last_date, book_value,
        equity, contributors
    FROM fi_instrument
    WHERE batch = {batch:UInt64} AND (empty({funds:Array(UInt32)}) OR fund_id IN {funds:Array(UInt32)}) AND series_id IS NOT NULL
) AS listed ON listed.fund_id = funds.fund_id
ORDER BY fund_id, serie, listed.series_id
