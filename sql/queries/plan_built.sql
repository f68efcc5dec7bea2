-- What copies that have built a plan say of it, the first one first.
SELECT copy, built_at, tables, checksums FROM plan_built FINAL WHERE plan = {plan:UInt64} ORDER BY place LIMIT 100
