-- Rows of day_build of a batch that was never published. The lists of builds are deleted
-- first: without them no reader looks for the rows.
DELETE FROM day_build WHERE build = {batch:UInt64}
