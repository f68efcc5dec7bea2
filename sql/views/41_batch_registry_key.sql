-- The keys in the facts of batch N that may have no id yet, in the forms of RULES 12. Of
-- the catalogues it gives every key. Of quotes, values and renames it gives the keys in the
-- files that batch M (since) did not have, because M is published and all of its keys have
-- ids. since = 0 gives every key.
--   SELECT * FROM batch_registry_key(batch = 7, since = 0) WHERE kind = 'series'
CREATE OR REPLACE VIEW batch_registry_key AS
SELECT 'manager' AS kind, key, run, serie
FROM batch_manager_key(batch = {batch:UInt64})
UNION ALL
SELECT 'fund', concat('fund:', cuota_rol(run)), run, ''
FROM
(
    SELECT DISTINCT run FROM quota_series WHERE batch > {since:UInt64} AND parts.seen_by_batch(key: batch)
    UNION DISTINCT
    SELECT run FROM batch_fund(batch = {batch:UInt64})
    UNION DISTINCT
    SELECT run FROM batch_investment_fund(batch = {batch:UInt64})
    UNION DISTINCT
    SELECT DISTINCT run FROM fact_investment_value WHERE source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64} AND parts.seen_by_batch(key: batch))
)
UNION ALL
SELECT 'series', concat('series:', cuota_rol(run), ':', serie), run, serie
FROM
(
    SELECT DISTINCT run, serie FROM quota_series WHERE batch > {since:UInt64} AND parts.seen_by_batch(key: batch)
    UNION DISTINCT
    SELECT run, arrayJoin([previous_serie, current_serie]) FROM fact_rename
    WHERE source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64} AND parts.seen_by_batch(key: batch))
)
UNION ALL
SELECT 'fi_series', concat('fi:', cuota_rol(run), ':', serie), run, serie
FROM
(
    SELECT DISTINCT run, serie FROM fact_investment_value
    WHERE source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64} AND parts.seen_by_batch(key: batch))
)
