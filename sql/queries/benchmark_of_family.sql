-- The benchmark of a family, named in any case and with or without accents; no
-- row: none. Of several the one stated last, of names that differ in case or
-- accents alone the one written as asked.
--   batch       number of the batch
--   family_rar  the family
SELECT
    family_rar, symbol, index_name, nullIf(instrument_name, '') AS instrument_name,
    native_currency, nullIf(toString(asset_class), '') AS asset_class
FROM benchmark_of(batch = {batch:UInt64}) AS listed
WHERE active AND cuota_fold(listed.family_rar) = cuota_fold({family_rar:String})
ORDER BY listed.family_rar = {family_rar:String} DESC, revision DESC, symbol
LIMIT 1
