-- Every key that the facts of batch N speak of, in the forms of RULES 12. The
-- register of investment funds names managers without a RUT: those that no
-- manager with a RUT is called are known by their normalised name.
--   SELECT * FROM registry_candidate(batch = 7) WHERE kind = 'series'
CREATE OR REPLACE VIEW registry_candidate AS
SELECT 'manager' AS kind, concat('agf:', cuota_rol(rut)) AS key, rut AS run, '' AS serie
FROM manager_of(batch = {batch:UInt64})
UNION ALL
SELECT 'manager', concat('agf:', words), 0, words
FROM (SELECT DISTINCT cuota_words(manager) AS words FROM investment_fund_of(batch = {batch:UInt64}))
WHERE words NOT IN (SELECT cuota_words(name) FROM manager_of(batch = {batch:UInt64}))
UNION ALL
SELECT 'fund', concat('fund:', cuota_rol(run)), run, ''
FROM
(
    SELECT DISTINCT run FROM quota_series WHERE batch <= {batch:UInt64}
    UNION DISTINCT
    SELECT run FROM fund_of(batch = {batch:UInt64})
    UNION DISTINCT
    SELECT run FROM investment_fund_of(batch = {batch:UInt64})
    UNION DISTINCT
    SELECT DISTINCT run FROM fact_investment_value WHERE source_sha256 IN (SELECT sha256 FROM source_of(batch = {batch:UInt64}))
)
UNION ALL
SELECT 'series', concat('series:', cuota_rol(run), ':', serie), run, serie
FROM
(
    SELECT DISTINCT run, serie FROM quota_series WHERE batch <= {batch:UInt64}
    UNION DISTINCT
    SELECT run, arrayJoin([previous_serie, current_serie]) FROM fact_rename
    WHERE source_sha256 IN (SELECT sha256 FROM source_of(batch = {batch:UInt64}))
)
UNION ALL
SELECT 'fi_series', concat('fi:', cuota_rol(run), ':', serie), run, serie
FROM
(
    SELECT DISTINCT run, serie FROM fact_investment_value
    WHERE source_sha256 IN (SELECT sha256 FROM source_of(batch = {batch:UInt64}))
)
