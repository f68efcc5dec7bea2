-- Current mutual funds by name, or one fund of any vehicle, current or not.
--   fund_id  id of the fund; null: all current mutual funds
SELECT fund_id, run, name, category, currency
FROM fund
WHERE batch = {batch:UInt64}
  AND if({fund_id:Nullable(UInt32)} IS NULL, vehicle = 'mutual_fund' AND current, fund_id = {fund_id:Nullable(UInt32)})
ORDER BY name, fund_id
