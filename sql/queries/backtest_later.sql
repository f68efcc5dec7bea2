-- The cartola rows that were corrected later, or added later to a day that was stated already, each with what
-- was stated of it, in the order in which it was known (docs/backtests.md, section 2; batch_later_statement). Numbers are
-- texts, so that they are the same when backtest_known.sql gets them back. An unsound quote and an unknown
-- equity are empty.
--   most        at most so many rows
--   statements  stored: the tables by day; computed: the view, for a batch that another version of the program
--               built. A view that is not named is not planned.
WITH
    stored AS (SELECT * FROM batch_later_row(batch = {batch:UInt64})),
    computed AS (SELECT * FROM batch_later_statement(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06'))
SELECT
    series_id, date, loaded_later, statements.known_on AS known_on, statements.said AS said,
    arrayMap(s -> if(s.sound, ifNull(toString(s.quota), ''), ''), statements) AS quotas,
    statements.currency                                                       AS currencies,
    arrayMap(s -> ifNull(toString(s.equity), ''), statements)                 AS equities
FROM {statements:Identifier}
ORDER BY series_id, date
LIMIT {most:UInt32}
