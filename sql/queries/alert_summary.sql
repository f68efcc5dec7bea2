-- The figures of some series in a monthly summary: price returns of the month, of its year
-- so far and of twelve months, all as of the last day of the month, and the newest cost
-- rate up to then. Series of investment funds have no cost rate.
--   month  last day of the month
--   ids    any ids of the series; at least one
WITH known AS (SELECT * FROM batch_watchable_series(batch = {batch:UInt64}) WHERE hasAny(ids, {ids:Array(String)}))
SELECT
    known.ids[1] AS current_id, known.ids AS ids, funds.name AS fund, known.run AS run, known.serie AS serie,
    returns.month_return AS month_return, returns.ytd_return AS ytd_return, returns.year_return AS year_return,
    if(rates.series_id = 0, '', toString(rates.newest.1)) AS tac_month, if(rates.series_id = 0, NULL, rates.newest.2) AS tac
FROM known
INNER JOIN (SELECT fund_id, name FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = known.fund_id
LEFT JOIN
(
    SELECT
        series_id,
        anyIf(value, window = 'last_closed_month') AS month_return,
        anyIf(value, window = 'ytd')               AS ytd_return,
        anyIf(value, window = '1y')                AS year_return
    FROM batch_price_return(
        batch = {batch:UInt64}, as_of = {month:Date},
        series = (SELECT toString(groupArray(series_id)) FROM batch_watchable_series(batch = {batch:UInt64}) WHERE hasAny(ids, {ids:Array(String)})),
        all_series = false)
    GROUP BY series_id
) AS returns ON returns.series_id = known.series_id
LEFT JOIN
(
    SELECT series_id, max((month, assumeNotNull(history.tac))) AS newest
    FROM batch_tac_history(batch = {batch:UInt64}, series = [], all_series = true) AS history
    WHERE history.tac IS NOT NULL AND month <= {month:Date} AND series_id IN (SELECT series_id FROM known)
    GROUP BY series_id
) AS rates ON rates.series_id = known.series_id
ORDER BY fund, serie, known.series_id
