-- Rows of market_day that a batch wrote which was never published.
DELETE FROM market_day WHERE build = {batch:UInt64}
