-- The series that people can watch, of mutual funds and of investment funds, as
-- batch N has them; ids are all that find a series, that by which it is shown
-- first. closed_on is the last quote of a series that is over, and null while it is
-- not: of a mutual fund's once it is not current any more (RULES 7), of an
-- investment fund's once the register calls the fund no vigente, for between the
-- reports of those that report by the quarter a silence says nothing.
--   SELECT * FROM watchable_of(batch = 7) WHERE has(ids, '4047362302')
CREATE OR REPLACE VIEW watchable_of AS
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
