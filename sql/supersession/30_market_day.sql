-- Rows of market_day whose build no kept batch sees.
DELETE FROM market_day WHERE (date, build) IN {market_days:Array(Tuple(Date, UInt64))}
