-- The series of backtest_later.sql.
--   statements  as there
WITH
    stored AS (SELECT series_id FROM batch_later_row(batch = {batch:UInt64})),
    computed AS (SELECT series_id FROM batch_later_statement(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06'))
SELECT DISTINCT series_id FROM {statements:Identifier} ORDER BY series_id
