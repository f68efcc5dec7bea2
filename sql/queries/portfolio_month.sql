-- The latest month, between two days, for which a fund has a portfolio of national or
-- foreign instruments. No row means that there is none.
--   batch     number of the batch
--   run       RUN of the fund without check digit
--   from, to  bounds of the month's last day, both inclusive
SELECT held.month AS month
FROM fact_holding AS held
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
  AND run = {run:UInt32} AND market IN ('N', 'E') AND held.month BETWEEN {from:Date} AND {to:Date}
ORDER BY held.month DESC
LIMIT 1
