-- The rises and falls of summary_stored_movers.sql among every series that existed on the day, with the names of series,
-- fund and manager, because memory has only those of living ones.
--   from, to  first and last day
SELECT
    movers.date AS date, list, movers.series_id AS series_id, movers.fund_id AS fund_id, run, serie, name AS fund, manager,
    category, family_rar, currency, price, daily_change, monthly_change, equity
FROM summary_mover AS movers
INNER JOIN (SELECT series_id, run, serie FROM series WHERE batch = {batch:UInt64}) AS series ON series.series_id = movers.series_id
INNER JOIN (SELECT fund_id, name, manager FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = movers.fund_id
WHERE batch = {batch:UInt64} AND date BETWEEN {from:Date} AND {to:Date} AND place_then > 0
ORDER BY date, list, place_then
