-- Rows of fi_day_build that a batch wrote which was never published.
DELETE FROM fi_day_build WHERE build = {batch:UInt64}
