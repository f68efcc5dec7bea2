-- Rows of fi_day whose build no kept batch sees.
DELETE FROM fi_day WHERE (date, build) IN {fi_days:Array(Tuple(Date, UInt64))}
