-- Rows of manager_day of a batch that was never published.
DELETE FROM manager_day WHERE build = {batch:UInt64}
