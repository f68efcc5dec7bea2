-- Notes about builds of days of series_day that no kept batch sees.
DELETE FROM batch_table
WHERE table = 'series_day' AND (toDateOrZero(piece), batch) IN {days:Array(Tuple(Date, UInt64))}
