-- Notes about builds of days of the market that no kept batch sees.
DELETE FROM batch_table
WHERE table IN ('market_day', 'family_day', 'family_long_step', 'manager_day')
  AND (toDateOrZero(piece), batch) IN {market_days:Array(Tuple(Date, UInt64))}
