-- Rows of day_build whose build no kept batch sees.
DELETE FROM day_build WHERE (date, build) IN {days:Array(Tuple(Date, UInt64))}
