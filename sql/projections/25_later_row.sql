-- The cartola rows that were corrected or added later, of the days between {from} and {to} that this batch
-- builds (batch_later_statement).
--
-- chunks: quota_chunks
INSERT INTO later_row (date, series_id, build, loaded_later, statements)
SELECT date, series_id, {batch:UInt64}, loaded_later, statements
FROM batch_later_statement(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date})
WHERE date IN (SELECT date FROM series_day_version WHERE build = {batch:UInt64})
