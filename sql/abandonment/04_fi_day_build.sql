-- Rows of fi_day_build of a batch that was never published.
DELETE FROM fi_day_build WHERE build = {batch:UInt64}
