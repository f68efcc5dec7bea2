-- The benchmark of each family that has one. written is the name of the family in the catalogue, and the row is the one
-- that benchmark_of_family.sql gives for that name: change both together.
WITH listed AS
(
    SELECT family_rar, symbol, index_name, instrument_name, native_currency, asset_class, revision, cuota_fold(family_rar) AS folded
    FROM batch_benchmark(batch = {batch:UInt64})
    WHERE active
)
SELECT
    asked.family_rar AS written,
    listed.family_rar AS family_rar, symbol, index_name, nullIf(instrument_name, '') AS instrument_name,
    native_currency, nullIf(toString(asset_class), '') AS asset_class
FROM (SELECT DISTINCT family_rar, folded FROM listed) AS asked
INNER JOIN listed ON listed.folded = asked.folded
ORDER BY written, listed.family_rar = asked.family_rar DESC, revision DESC, symbol
LIMIT 1 BY written
