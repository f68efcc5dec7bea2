-- The series that people can watch, of mutual funds and of investment funds, in batch N.
-- ids are all ids that find a series, and the first is the one that is shown. closed_on is
-- the day of the last quote of a closed series, and null for any other. A series of a
-- mutual fund is closed when it is no longer current (RULES 7). A series of an investment
-- fund is closed when the register says that the fund is no vigente: some of these funds
-- report only each quarter, so a time without quotes does not mean that they are closed.
--   SELECT * FROM batch_watchable_series(batch = 7) WHERE has(ids, '4047362302')
CREATE OR REPLACE VIEW batch_watchable_series AS
SELECT
    series_id, fund_id, run, toString(serie) AS serie,
    arrayMap(id -> toString(id), if(empty(alias_ids), [series_id], alias_ids)) AS ids,
    coalesce(toString(category), '')    AS category,
    false                               AS by_book_value,
    if(current, NULL, last_date)        AS closed_on
FROM series
WHERE batch = {batch:UInt64}
UNION ALL
SELECT
    assumeNotNull(series_id), fund_id, run, toString(assumeNotNull(serie)),
    [toString(instrument_id)],
    '',
    true,
    if(status = 'inactive', last_date, NULL)
FROM fi_instrument
WHERE batch = {batch:UInt64} AND series_id IS NOT NULL
