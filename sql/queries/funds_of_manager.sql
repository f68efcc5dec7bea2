-- Current mutual funds of managers, by name. A manager without any has one row with an
-- empty run. An unknown manager has no row.
--   managers  ids of managers, or of one of their names; empty: all managers
SELECT managers.asked_id AS manager_id, funds.fund_id AS fund_id, funds.run AS run, funds.name AS name, funds.category AS category, funds.currency AS currency
FROM
(
    SELECT manager_id AS asked_id, manager_id FROM manager
    WHERE batch = {batch:UInt64} AND (empty({managers:Array(UInt32)}) OR manager_id IN {managers:Array(UInt32)})
    UNION ALL
    SELECT alias_id, manager_id FROM batch_manager_alias(batch = {batch:UInt64})
    WHERE alias_id IN {managers:Array(UInt32)}
) AS managers
LEFT JOIN
(
    SELECT * FROM fund
    WHERE batch = {batch:UInt64}
      AND vehicle = 'mutual_fund' AND current
) AS funds ON funds.manager_id = managers.manager_id
ORDER BY manager_id, name, fund_id
