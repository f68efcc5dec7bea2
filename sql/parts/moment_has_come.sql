-- Whether servers answer from a batch: its MOMENT has come, or there is only one copy, where nobody waits for a moment.
(MOMENT <= now64(3, 'UTC') OR (SELECT argMax(valid_ms, heard_at) FROM copy_heard) = 0)
