-- The series alive at the cutoff with what does not depend on the date, in the order of all_funds.sql,
-- also those that have no row on the cutoff. in_all_funds says which of them all_funds.sql may have.
WITH
    assessed AS (SELECT cuota_rol(article107.run) AS run, status FROM batch_article107(batch = {batch:UInt64}) AS article107)
SELECT
    series.series_id AS series_id, series.fund_id AS fund_id, series.run AS run, series.serie AS serie,
    series.previous_serie AS previous_serie, series.current_serie AS current_serie,
    series.first_current_date AS first_current_date, series.alias_ids AS alias_ids,
    funds.name AS fund, funds.manager AS manager, toString(funds.vehicle) AS vehicle,
    toBool(funds.vehicle != 'investment_fund' OR funds.kind = 'FIRES') AS in_all_funds,
    if(assessed.status = '', 'unknown', assessed.status) AS article107
FROM (SELECT * FROM series WHERE batch = {batch:UInt64}) AS series
INNER JOIN (SELECT * FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = series.fund_id
LEFT JOIN assessed ON assessed.run = series.run
WHERE series.series_id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64}))
ORDER BY fund, serie, series_id
