INSERT INTO copy_heard (copy, heard_at, valid_ms)
