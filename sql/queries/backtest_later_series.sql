-- The series of backtest_later.sql.
--   batch  number of the batch
SELECT DISTINCT series_id FROM batch_later_statement(batch = {batch:UInt64}) ORDER BY series_id
