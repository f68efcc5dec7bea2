-- What a monthly summary says of some series: price returns of the month, of its
-- year so far and of twelve months, all as of its last day, and the newest cost
-- rate up to then. ids are those that find the series.
--   batch   number of the batch
--   month   last day of the month
--   series  ids of series; at least one
SELECT
    toString(known.series_id) AS current_id, [current_id] AS ids, funds.name AS fund, known.run AS run, known.serie AS serie,
    returns.month_return AS month_return, returns.ytd_return AS ytd_return, returns.year_return AS year_return,
    if(rates.series_id = 0, '', toString(rates.newest.1)) AS tac_month, if(rates.series_id = 0, NULL, rates.newest.2) AS tac
FROM
(
    SELECT series_id, fund_id, run, serie FROM series WHERE batch = {batch:UInt64} AND series_id IN {series:Array(UInt32)}
) AS known
INNER JOIN (SELECT fund_id, name FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = known.fund_id
LEFT JOIN
(
    SELECT
        series_id,
        anyIf(value, window = 'last_closed_month') AS month_return,
        anyIf(value, window = 'ytd')               AS ytd_return,
        anyIf(value, window = '1y')                AS year_return
    FROM price_return_at(batch = {batch:UInt64}, as_of = {month:Date}, series = {series:Array(UInt32)})
    GROUP BY series_id
) AS returns ON returns.series_id = known.series_id
LEFT JOIN
(
    SELECT series_id, max((month, assumeNotNull(history.tac))) AS newest
    FROM tac_history_of(batch = {batch:UInt64}, series = {series:Array(UInt32)}) AS history
    WHERE history.tac IS NOT NULL AND month <= {month:Date}
    GROUP BY series_id
) AS rates ON rates.series_id = known.series_id
ORDER BY fund, serie, known.series_id
