-- Rows of family_long_step that a batch wrote which was never published.
DELETE FROM family_long_step WHERE build = {batch:UInt64}
