-- Rows of fi_day of a batch that was never published.
DELETE FROM fi_day WHERE build = {batch:UInt64}
