-- The series of a fund or of a manager, open or closed, of mutual funds and of investment funds.
--   provider_id  id of the manager, or of one of its names; null: any
--   run          RUN of the fund, with check digit; empty: any
SELECT known.series_id AS series_id
FROM batch_watchable_series(batch = {batch:UInt64}) AS known
INNER JOIN (SELECT fund_id, manager_id FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = known.fund_id
WHERE ({provider_id:Nullable(UInt32)} IS NULL OR funds.manager_id = {provider_id:Nullable(UInt32)}
       OR funds.manager_id IN (SELECT manager_id FROM batch_manager_alias(batch = {batch:UInt64}) WHERE alias_id = {provider_id:Nullable(UInt32)}))
  AND {run:String} IN ('', known.run)
ORDER BY series_id
