-- Rows of builds of days that no kept batch sees.
--
-- garbage: superseded
-- each: day
DELETE FROM {table:Identifier} WHERE (date, build) IN {days:Array(Tuple(Date, UInt64))}
