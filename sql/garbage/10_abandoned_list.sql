-- Lists of the days that a batch built which was never published. They are deleted before
-- the rows: without them no reader looks for the rows.
--
-- garbage: abandoned
-- each: list
DELETE FROM {table:Identifier} WHERE build = {batch:UInt64}
