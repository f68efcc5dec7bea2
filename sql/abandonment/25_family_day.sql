-- Rows of family_day that a batch wrote which was never published.
DELETE FROM family_day WHERE build = {batch:UInt64}
