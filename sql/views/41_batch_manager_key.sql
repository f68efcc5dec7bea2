-- The keys of the managers that the files of batch N name, in the forms of RULES 12. The
-- register of investment funds names managers without a RUT. Every name in any edition of
-- it has a key, even if a manager with a RUT has that name. So the ids that are given out
-- depend only on the files, not on the order in which they came.
--   SELECT * FROM batch_manager_key(batch = 7)
CREATE OR REPLACE VIEW batch_manager_key AS
SELECT concat('agf:', cuota_rol(rut)) AS key, rut AS run, '' AS serie
FROM batch_manager(batch = {batch:UInt64})
UNION ALL
SELECT concat('agf:', words), 0, words
FROM
(
    SELECT DISTINCT cuota_words(manager) AS words
    FROM fact_investment_fund FINAL
    WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
)
