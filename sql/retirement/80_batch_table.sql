DELETE FROM batch_table WHERE batch = {batch:UInt64} AND piece = ''
