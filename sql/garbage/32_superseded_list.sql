-- Builds of days that no kept batch sees.
--
-- garbage: superseded
-- each: list
DELETE FROM {table:Identifier} WHERE (date, build) IN {days:Array(Tuple(Date, UInt64))}
