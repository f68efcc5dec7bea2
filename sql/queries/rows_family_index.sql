-- The rows of family_index.sql, whose parameters it has, with the names and units of the tables for
-- people: the change is a fraction, with its coverage (RULES 7).
SELECT
    {family:String} AS family, {currency:String} AS currency, rows.date AS date, rows.value AS level,
    rows.change / 100 AS index_return, rows.series AS eligible_series, rows.of_series AS series, rows.equity_share AS eligible_share
FROM queries.family_index AS rows
ORDER BY rows.date
