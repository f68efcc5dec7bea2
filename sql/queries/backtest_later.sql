-- The cartola rows that were corrected later, or added later to a day that was stated already, each with what
-- was stated of it, in the order in which it was known (docs/backtests.md, section 2; batch_later_statement). Numbers are
-- texts, so that they are the same when backtest_known.sql gets them back. An unsound quote and an unknown
-- equity are empty.
--   batch  number of the batch
--   most   at most so many rows
SELECT
    series_id, date, loaded_later, statements.known_on AS known_on, statements.said AS said,
    arrayMap(s -> if(s.sound, ifNull(toString(s.quota), ''), ''), statements) AS quotas,
    statements.currency                                                       AS currencies,
    arrayMap(s -> ifNull(toString(s.equity), ''), statements)                 AS equities
FROM batch_later_statement(batch = {batch:UInt64})
ORDER BY series_id, date
LIMIT {most:UInt32}
