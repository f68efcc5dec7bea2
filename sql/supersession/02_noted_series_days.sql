-- What was noted of days of series_day whose build no kept batch sees.
DELETE FROM batch_table
WHERE table = 'series_day' AND (toDateOrZero(piece), batch) IN {days:Array(Tuple(Date, UInt64))}
