-- Rows of builds of days that no kept batch sees.
--
-- each: day
DELETE FROM {table:Identifier} WHERE (date, build) IN {days:Array(Tuple(Date, UInt64))}
