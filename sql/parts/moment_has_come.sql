-- Whether servers answer from a batch: its MOMENT has come, or there is only one copy, where nobody waits for a moment.
(MOMENT <= now64(3, 'UTC') OR (SELECT argMax(valid_ms, caught_up_at) FROM copy_progress) = 0)
