-- Rows of manager_day that a batch wrote which was never published.
DELETE FROM manager_day WHERE build = {batch:UInt64}
