-- The latest month with any cost rate, always in one row; null if there is none.
--   batch  number of the batch
SELECT month FROM tac_latest_month_of(batch = {batch:UInt64})
