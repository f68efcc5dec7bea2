-- Managers of funds of a vehicle, by name.
--   batch  number of the batch
--   scope  all, mutual_fund, etf or investment_fund
SELECT manager_id, name
FROM manager
WHERE batch = {batch:UInt64}
  AND multiIf({scope:String} = 'mutual_fund', mutual_funds,
              {scope:String} = 'etf', etfs,
              {scope:String} = 'investment_fund', investment_funds,
              1) > 0
ORDER BY name, manager_id
