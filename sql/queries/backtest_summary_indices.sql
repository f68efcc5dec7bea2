-- The points of all family indices on some days, with the names and units of the tables for people:
-- the change is a fraction. All series that existed count, whether they are alive or not (RULES 7). point.series is
-- qualified: unqualified, it would be the alias series of this statement.
--   days   the days
SELECT date, family_rar AS family, currency, value AS level, change / 100 AS index_return,
    point.series AS eligible_series, point.of_series AS series, equity_share AS eligible_share
FROM batch_family_index(batch = {batch:UInt64}, family = '') AS point
WHERE date IN {days:Array(Date)}
ORDER BY date, family, currency
