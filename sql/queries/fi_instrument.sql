-- Instruments of investment funds by their ids, with their latest values up to the cutoff.
-- No row means that there is none. The id may be that of a fund itself, which has no series
-- name.
--   instruments    public ids
--   all_instruments  every instrument
SELECT
    instrument_id, series_id, fund_id, run, serie, fund, manager_id, manager, vehicle, regulatory_type, is_etf, etf_source_url,
    etf_source_sha256, status, first_date, last_date, currency, book_value, economic_value, equity, total_assets, contributors,
    institutional, agency
FROM fi_instrument
WHERE batch = {batch:UInt64} AND ({all_instruments:Bool} OR instrument_id IN {instruments:Array(UUID)})
