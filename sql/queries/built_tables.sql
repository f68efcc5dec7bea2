-- The tables of one kind that batches fill (68_built_table).
SELECT table, list FROM built_table WHERE kind = {kind:String} ORDER BY table
