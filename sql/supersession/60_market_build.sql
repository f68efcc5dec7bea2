-- Rows of market_build whose build no kept batch sees.
DELETE FROM market_build WHERE (date, build) IN {market_days:Array(Tuple(Date, UInt64))}
