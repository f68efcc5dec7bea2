-- Every series of mutual funds of a batch, alive or closed, with its names of today.
SELECT
    series.series_id AS series_id, series.fund_id AS fund_id, series.run AS run, series.serie AS serie,
    funds.name AS fund, ifNull(toString(funds.manager), '') AS manager, ifNull(funds.manager_id, 0) AS manager_id, series.first_date AS first_date,
    series.series_id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64})) AS alive
FROM (SELECT * FROM series WHERE batch = {batch:UInt64}) AS series
INNER JOIN (SELECT * FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = series.fund_id
ORDER BY series_id
