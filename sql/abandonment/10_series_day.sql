-- Rows of series_day that a batch wrote which was never published.
DELETE FROM series_day WHERE build = {batch:UInt64}
