-- What the first copy that has built a plan says of it; no row if none has.
SELECT copy, built_at, tables, checksums FROM plan_built WHERE plan = {plan:UInt64} ORDER BY place LIMIT 1
