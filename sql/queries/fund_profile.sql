-- Funds by their RUN, for their pages: what the registers say about them now. No row means that no
-- fund has that RUN.
--   run        RUN of the fund without check digit
--   all_funds  every fund
SELECT
    fund_id, run, name, short_name, nullIf(manager, '') AS manager, vehicle, category, currency,
    started, ended, current
FROM fund
WHERE batch = {batch:UInt64} AND ({all_funds:Bool} OR run = cuota_rol({run:UInt32}))
