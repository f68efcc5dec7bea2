-- All series that a search can find, of mutual funds and of investment funds, each once: open ones before closed ones,
-- then by name. ids are all ids that find the series, and the first is the one that is shown. tac is a fraction of the
-- kind tac_kind. equity_clp is in full pesos: null of closed series, of investment funds that publish no more, and
-- where the dólar of that day is not known. unheld: the newest day of an open series states no shareholders or no equity.
--   batch  number of the batch
WITH
    sized AS
    (
        SELECT
            series_id AS sized_id, currency, equity, price_date AS day,
            ifNull(shareholders = 0, false) OR ifNull(equity = 0, false) AS unheld
        FROM screener WHERE batch = {batch:UInt64}
        UNION ALL
        SELECT assumeNotNull(series_id), currency, equity, assumeNotNull(last_date), false
        FROM fi_instrument
        WHERE batch = {batch:UInt64} AND series_id IS NOT NULL AND last_date IS NOT NULL AND status = 'active'
    ),
    sizes AS
    (
        SELECT sized_id, toNullable(toFloat64(cuota_clp(currency, equity, value))) AS pesos, unheld
        FROM sized
        LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = day
        SETTINGS join_use_nulls = 0
    ),
    costs AS
    (
        SELECT series_id AS cost_id, tac, tac_kind, cuota_apv(apv, coalesce(class_dated, class_tac)) AS pension
        FROM series
        WHERE batch = {batch:UInt64}
    )
SELECT
    watchable.series_id AS series_id, watchable.ids AS ids, funds.name AS fund, watchable.run AS run,
    watchable.serie AS serie, ifNull(funds.manager, '') AS manager, toBool(watchable.closed_on IS NOT NULL) AS closed,
    watchable.by_book_value AS by_book_value, watchable.category AS category,
    toBool(ifNull(costs.pension, false)) AS apv, costs.tac AS tac, ifNull(toString(costs.tac_kind), '') AS tac_kind,
    sizes.pesos AS equity_clp, toBool(ifNull(sizes.unheld, false)) AS unheld
FROM batch_watchable_series(batch = {batch:UInt64}) AS watchable
INNER JOIN (SELECT fund_id, name, manager FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = watchable.fund_id
LEFT JOIN costs ON costs.cost_id = watchable.series_id
LEFT JOIN sizes ON sizes.sized_id = watchable.series_id
ORDER BY closed, fund, serie, ids
