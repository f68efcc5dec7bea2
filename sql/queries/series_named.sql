-- The names of series, by any of the ids that find them. ids are all of these ids, and the
-- first is the one that is shown. change is that of the newest row, from a quota value of at most 7 days before, a
-- fraction, and change_on its day. Both are null across a break, if the newest row was rejected, and for book values of
-- investment funds. No row for an id that no series has.
--   asked  ids, decimal or UUID
SELECT
    watchable.ids AS ids, funds.name AS fund, watchable.run AS run, watchable.serie AS serie,
    toBool(watchable.closed_on IS NOT NULL) AS closed,
    latest.daily_change / 100 AS change, if(change IS NULL, NULL, latest.date) AS change_on
FROM batch_watchable_series(batch = {batch:UInt64}) AS watchable
INNER JOIN (SELECT fund_id, name FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = watchable.fund_id
LEFT JOIN (SELECT series_id, date, daily_change FROM series_latest WHERE batch = {batch:UInt64}) AS latest ON latest.series_id = watchable.series_id
WHERE hasAny(watchable.ids, {asked:Array(String)})
ORDER BY fund, serie, ids
