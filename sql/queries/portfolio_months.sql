-- The months for which funds have a portfolio of national or foreign instruments, the newest first. A
-- fund without any has no row.
--   funds      RUNs of the funds without check digit
--   all_funds  every fund
SELECT run, arrayReverseSort(groupUniqArray(held.month)) AS months
FROM fact_holding AS held
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
  AND ({all_funds:Bool} OR run IN {funds:Array(UInt32)}) AND market IN ('N', 'E')
GROUP BY run
