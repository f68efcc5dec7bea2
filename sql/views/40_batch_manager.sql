-- Managers as batch N sees them, under the name that was stated last. The register states
-- names for the day of its publication, and the cartola for each of its days.
--   SELECT * FROM batch_manager(batch = 7)
CREATE OR REPLACE VIEW batch_manager AS
SELECT rut, argMax(stated_name, (stated_on, stated_name)) AS name
FROM
(
    SELECT manager_rut AS rut, manager AS stated_name, max(quoted.stated_on) AS stated_on
    FROM quota_manager AS quoted
    WHERE parts.seen_by_batch(key: batch)
    GROUP BY manager_rut, manager
    UNION ALL
    SELECT manager_rut, manager, max(toDate(revision))
    FROM fact_fund FINAL
    WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
    GROUP BY manager_rut, manager
)
GROUP BY rut
