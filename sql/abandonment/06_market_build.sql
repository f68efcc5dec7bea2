-- Rows of market_build that a batch wrote which was never published.
DELETE FROM market_build WHERE build = {batch:UInt64}
