-- Rows of series_day whose build no kept batch sees.
DELETE FROM series_day WHERE (date, build) IN {days:Array(Tuple(Date, UInt64))}
