-- Rows of family_day whose build no kept batch sees.
DELETE FROM family_day WHERE (date, build) IN {market_days:Array(Tuple(Date, UInt64))}
