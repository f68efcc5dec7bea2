-- The keys of the managers that the files of batch N name, in the forms of RULES 12.
-- The register of investment funds names managers without a RUT: every name in any
-- edition of it has a key, also where a manager with a RUT has that name. So which ids
-- are given out depends on the files alone, and not on which of them came first.
--   SELECT * FROM manager_candidate(batch = 7)
CREATE OR REPLACE VIEW manager_candidate AS
SELECT concat('agf:', cuota_rol(rut)) AS key, rut AS run, '' AS serie
FROM manager_of(batch = {batch:UInt64})
UNION ALL
SELECT concat('agf:', words), 0, words
FROM
(
    SELECT DISTINCT cuota_words(manager) AS words
    FROM fact_investment_fund FINAL
    WHERE source_sha256 IN (SELECT sha256 FROM source_of(batch = {batch:UInt64}))
)
