-- The current cost rate of a series, which quantity it is (RULES 2) and of when, with
-- the investor class that came with it, else the one of the newest classification
-- file. No row for a series without a quote by the cutoff.
--   batch      number of the batch
--   series_id  id of the series
SELECT tac, tac_kind, tac_date, coalesce(class_tac, class_dated) AS investor_class
FROM series
WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32}
