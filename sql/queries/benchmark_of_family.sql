-- The benchmark of a family, whose name may be in any case, with or without accents. No row
-- means that there is none. If a family has several benchmarks, the one stated last counts.
-- If names differ only in case or accents, the one written as requested counts.
--   family_rar  the family
SELECT
    family_rar, symbol, index_name, nullIf(instrument_name, '') AS instrument_name,
    native_currency, nullIf(toString(asset_class), '') AS asset_class
FROM batch_benchmark(batch = {batch:UInt64}) AS listed
WHERE active AND cuota_fold(listed.family_rar) = cuota_fold({family_rar:String})
ORDER BY listed.family_rar = {family_rar:String} DESC, revision DESC, symbol
LIMIT 1
