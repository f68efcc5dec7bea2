-- Rows of series_day of a batch that was never published.
DELETE FROM series_day WHERE build = {batch:UInt64}
