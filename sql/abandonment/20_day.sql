-- Rows of days that a batch built which was never published.
--
-- each: day
DELETE FROM {table:Identifier} WHERE build = {batch:UInt64}
