-- A batch is answered from: its MOMENT has come, or there is only one copy, whose query servers do not wait for it.
(MOMENT <= now64(3, 'UTC') OR (SELECT argMax(valid_ms, heard_at) FROM copy_heard) = 0)
