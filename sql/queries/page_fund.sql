-- A fund by its RUN, for its page: what the registers say about it now, and the months at whose
-- close it has a portfolio of national or foreign instruments, the newest first. No row means
-- that no fund has that RUN.
--   batch  number of the batch
--   run    RUN of the fund without check digit
--   today  Santiago day; months that end later are left out
SELECT
    fund_id, cuota_rol({run:UInt32}) AS run, name, short_name, nullIf(manager, '') AS manager, vehicle, category, currency,
    started, ended, current,
    (
        SELECT arrayReverseSort(groupUniqArray(held.month))
        FROM fact_holding AS held
        WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
          AND run = {run:UInt32} AND market IN ('N', 'E') AND held.month <= {today:Date}
    ) AS months
FROM fund
WHERE fund.batch = {batch:UInt64} AND fund.run = cuota_rol({run:UInt32})
