-- The lines of a TABLE of cost rates that files of batch N state for the months asked for, by the KEY of a rate: which
-- of them counts (newest), which was stated first, and with how many decimals the file states its PERCENT.
SELECT
    *, greatest(2, max(cuota_decimals(ifNull(PERCENT, 0))) OVER (PARTITION BY source_sha256)) AS decimals,
    row_number() OVER (PARTITION BY KEY ORDER BY revision DESC, source_sha256 DESC, source_line DESC) = 1 AS newest,
    revision = min(revision) OVER (PARTITION BY KEY) AS first
FROM TABLE
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
  AND ({all_months:Bool} OR has({months:Array(Date)}, toLastDayOfMonth(date)))
