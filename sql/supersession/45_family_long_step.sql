-- Rows of family_long_step whose build no kept batch sees.
DELETE FROM family_long_step WHERE (date, build) IN {market_days:Array(Tuple(Date, UInt64))}
