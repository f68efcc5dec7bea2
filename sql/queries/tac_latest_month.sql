-- The latest month with any cost rate, always in one row; null if there is none.
--   batch  number of the batch
SELECT month FROM batch_tac_latest_month(batch = {batch:UInt64})
