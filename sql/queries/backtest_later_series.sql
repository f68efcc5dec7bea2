-- The series of which a cartola row was corrected later, or added later to a day that was stated
-- already (docs/backtests.md, section 2).
--   batch  number of the batch
SELECT DISTINCT series_id
FROM batch_later_statement(batch = {batch:UInt64})
ORDER BY series_id
