-- Rows of family_long_step of a batch that was never published.
DELETE FROM family_long_step WHERE build = {batch:UInt64}
