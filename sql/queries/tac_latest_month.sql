-- The latest month with any cost rate that ended by a date, always in one row; null if there
-- is none.
--   until  the date; 2149-06-06 for the latest month of all
SELECT month FROM batch_tac_latest_month(batch = {batch:UInt64}, until = {until:Date})
