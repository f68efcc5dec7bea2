-- The latest month with any cost rate, as one row; null without any.
--   batch  number of the batch
SELECT month FROM tac_latest_month_of(batch = {batch:UInt64})
