-- The rises and falls that the batch stores of each day (RULES 7), with the names and units of the tables for people:
-- changes are fractions, amounts are full units. place is 1 for the largest change of a list.
--   from, to      first and last day
--   days          the days from {from} to {to} that are wanted
--   current_only  only series alive at the cutoff; else every series that existed on the day
SELECT
    movers.date AS date, movers.list AS list, toUInt32(movers.shown_place) AS place,
    movers.series_id AS series_id, movers.fund_id AS fund_id, series.run AS run, series.serie AS serie, funds.name AS fund, funds.manager AS manager,
    movers.category AS category, movers.family_rar AS family, movers.currency AS currency, toFloat64(movers.price) AS quota,
    movers.daily_change / 100 AS daily_return, movers.monthly_change / 100 AS month_return,
    toFloat64(movers.equity) AS equity, toNullable(toFloat64(movers.equity_clp)) AS equity_clp
FROM
(
    SELECT *, {current_only:Bool} ? place : place_then AS shown_place
    FROM summary_mover
    WHERE batch = {batch:UInt64} AND date BETWEEN {from:Date} AND {to:Date} AND shown_place > 0
) AS movers
INNER JOIN (SELECT series_id, run, serie FROM series WHERE batch = {batch:UInt64}) AS series ON series.series_id = movers.series_id
INNER JOIN (SELECT fund_id, name, manager FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = movers.fund_id
WHERE movers.date IN {days:Array(Date)}
ORDER BY movers.date, movers.list, place
