-- Rows of day_build of a batch that was never published. The lists of builds go
-- first: without them nobody looks for the rows.
DELETE FROM day_build WHERE build = {batch:UInt64}
