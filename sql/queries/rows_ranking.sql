-- The rows of agf_ranking.sql for one metric, whose parameters it has, with names as in the tables for people.
SELECT
    {date:Date} AS date, rows.rank AS rank, rows.manager_id AS manager_id, rows.name AS manager,
    rows.total_patrimony AS equity_clp, rows.total_shareholders AS shareholders, rows.fund_count AS funds,
    rows.unconverted_series AS unconverted_series
FROM queries.agf_ranking AS rows
ORDER BY rows.rank
