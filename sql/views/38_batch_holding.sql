-- The portfolios of funds at the close of each month, as batch N sees them. The newest file
-- of a fund, month and market replaces the older ones completely: positions of two files
-- are never combined. It covers the funds in the list, or every fund if all_runs is set.
--   SELECT * FROM batch_holding(batch = 7, runs = [8011], all_runs = false) WHERE month = '2025-06-30' ORDER BY market, position
CREATE OR REPLACE VIEW batch_holding AS
SELECT *
FROM fact_holding FINAL
WHERE ({all_runs:Bool} OR run IN {runs:Array(UInt32)})
  AND (run, month, market, revision, source_sha256) IN
  (
      SELECT run, month, market, max((revision, source_sha256)).1, max((revision, source_sha256)).2
      FROM fact_holding
      WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
        AND ({all_runs:Bool} OR run IN {runs:Array(UInt32)})
      GROUP BY run, month, market
  )
