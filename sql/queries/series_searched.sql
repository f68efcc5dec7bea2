-- All series that a search can find, of mutual funds and of investment funds, each once: open ones before closed ones,
-- then by name. ids are all ids that find the series, and the first is the one that is shown.
--   batch  number of the batch
SELECT
    watchable.series_id AS series_id, watchable.ids AS ids, funds.name AS fund, watchable.run AS run, watchable.serie AS serie, ifNull(funds.manager, '') AS manager,
    toBool(watchable.closed_on IS NOT NULL) AS closed, watchable.by_book_value AS by_book_value
FROM batch_watchable_series(batch = {batch:UInt64}) AS watchable
INNER JOIN (SELECT fund_id, name, manager FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = watchable.fund_id
ORDER BY closed, fund, serie, ids
