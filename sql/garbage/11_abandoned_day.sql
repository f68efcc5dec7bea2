-- Rows of days that a batch built which was never published.
--
-- garbage: abandoned
-- each: day
DELETE FROM {table:Identifier} WHERE build = {batch:UInt64}
