-- Target dates of the windows at the cutoff.
INSERT INTO window_target (batch, window, target_start, target_end)
SELECT DISTINCT {batch:UInt64}, window, target_start, target_end FROM series_return WHERE batch = {batch:UInt64}
