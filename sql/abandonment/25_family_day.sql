-- Rows of family_day of a batch that was never published.
DELETE FROM family_day WHERE build = {batch:UInt64}
