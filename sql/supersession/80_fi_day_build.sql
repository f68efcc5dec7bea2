-- Rows of fi_day_build whose build no kept batch sees.
DELETE FROM fi_day_build WHERE (date, build) IN {fi_days:Array(Tuple(Date, UInt64))}
