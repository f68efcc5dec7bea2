-- Notes about builds of days that no kept batch sees.
--
-- garbage: superseded
-- each: day
DELETE FROM batch_table
WHERE table = {table:String} AND (toDateOrZero(piece), batch) IN {days:Array(Tuple(Date, UInt64))}
