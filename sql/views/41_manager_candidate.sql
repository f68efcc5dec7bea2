-- The keys of the managers that the facts of batch N speak of, in the forms of
-- RULES 12. The register of investment funds names managers without a RUT: those
-- that no manager with a RUT is called are known by their normalised name.
--   SELECT * FROM manager_candidate(batch = 7)
CREATE OR REPLACE VIEW manager_candidate AS
SELECT concat('agf:', cuota_rol(rut)) AS key, rut AS run, '' AS serie
FROM manager_of(batch = {batch:UInt64})
UNION ALL
SELECT concat('agf:', words), 0, words
FROM (SELECT DISTINCT cuota_words(manager) AS words FROM investment_fund_of(batch = {batch:UInt64}))
WHERE words NOT IN (SELECT cuota_words(name) FROM manager_of(batch = {batch:UInt64}))
