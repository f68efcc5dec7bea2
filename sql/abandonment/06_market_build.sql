-- Rows of market_build of a batch that was never published.
DELETE FROM market_build WHERE build = {batch:UInt64}
