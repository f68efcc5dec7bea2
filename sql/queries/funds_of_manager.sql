-- Current mutual funds of a manager, by name. A manager without any gives one
-- row with an empty run, an unknown manager none.
--   batch       number of the batch
--   manager_id  id of the manager
SELECT funds.fund_id AS fund_id, funds.run AS run, funds.name AS name, funds.category AS category, funds.currency AS currency
FROM (SELECT manager_id FROM manager WHERE batch = {batch:UInt64} AND manager_id = {manager_id:UInt32}) AS managers
LEFT JOIN
(
    SELECT * FROM fund
    WHERE batch = {batch:UInt64} AND manager_id = {manager_id:UInt32} AND vehicle = 'mutual_fund' AND current
) AS funds USING (manager_id)
ORDER BY name, fund_id
