-- The current cost rate of a series, its kind (RULES 2) and its date, with the investor
-- class that was stated with it, else the class in the newest classification file. No row
-- for a series without a quote up to the cutoff.
SELECT tac, tac_kind, tac_date, coalesce(class_tac, class_dated) AS investor_class
FROM series
WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32}
