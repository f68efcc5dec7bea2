-- Managers of funds of a vehicle, by name.
--   scopes  some of all, mutual_fund, etf and investment_fund; each gets its own list
SELECT scope, manager_id, name
FROM manager
ARRAY JOIN {scopes:Array(String)} AS scope
WHERE batch = {batch:UInt64}
  AND multiIf(scope = 'mutual_fund', mutual_funds,
              scope = 'etf', etfs,
              scope = 'investment_fund', investment_funds,
              1) > 0
ORDER BY scope, name, manager_id
