-- The series of all_funds.sql with what does not depend on the date, in the order of that
-- statement, also those that have no row on the cutoff.
--   batch  number of the batch
WITH
    assessed AS (SELECT cuota_rol(article107.run) AS run, status FROM batch_article107(batch = {batch:UInt64}) AS article107)
SELECT
    series.series_id AS series_id, series.fund_id AS fund_id, series.run AS run, series.serie AS serie,
    series.previous_serie AS previous_serie, series.current_serie AS current_serie,
    series.first_current_date AS first_current_date, series.alias_ids AS alias_ids,
    funds.name AS fund, nullIf(funds.manager, '') AS manager, toString(funds.vehicle) AS vehicle,
    if(assessed.status = '', 'unknown', assessed.status) AS article107
FROM (SELECT * FROM series WHERE batch = {batch:UInt64}) AS series
INNER JOIN (SELECT * FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = series.fund_id
LEFT JOIN assessed ON assessed.run = series.run
WHERE series.series_id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64}))
  AND (funds.vehicle != 'investment_fund' OR funds.kind = 'FIRES')
ORDER BY fund, serie, series_id
