-- Rows of market_day of a batch that was never published.
DELETE FROM market_day WHERE build = {batch:UInt64}
