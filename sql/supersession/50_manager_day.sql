-- Rows of manager_day whose build no kept batch sees.
DELETE FROM manager_day WHERE (date, build) IN {market_days:Array(Tuple(Date, UInt64))}
