-- Notes about builds of days of fi_day that no kept batch sees.
DELETE FROM batch_table
WHERE table = 'fi_day' AND (toDateOrZero(piece), batch) IN {fi_days:Array(Tuple(Date, UInt64))}
