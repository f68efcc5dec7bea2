-- Rows of fi_day that a batch wrote which was never published.
DELETE FROM fi_day WHERE build = {batch:UInt64}
