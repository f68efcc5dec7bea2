INSERT INTO copy_progress (copy, caught_up_at, valid_ms)
