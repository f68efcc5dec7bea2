-- How many facts each table has of each file that came with a batch after M (since). since
-- = 0 gives every file, whether it is in a batch or not. A fact that arrived twice counts
-- once.
--   SELECT * FROM fact_row_count(since = 0) WHERE table = 'fact_quota'
CREATE OR REPLACE VIEW fact_row_count AS
-- FINAL reads a key once, in the order of the table, and is seven times as fast as a list of
-- all keys. The date of publication is part of the key, so the keys of a file that came with
-- several such dates are listed.
SELECT 'fact_quota' AS table, file, sum(found) AS rows
FROM
(
    SELECT source_sha256 AS file, count() AS found FROM fact_quota FINAL
    WHERE source_sha256 NOT IN (SELECT source_sha256 FROM fact_quota GROUP BY source_sha256 HAVING min(revision) != max(revision))
      AND ({since:UInt64} = 0
           OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})
              -- Those batches have built every day of their files, so only the years of these
              -- days are read.
              AND date IN (SELECT date FROM series_day_version WHERE build > {since:UInt64}))
    GROUP BY file
    UNION ALL
    SELECT source_sha256, uniqExact(run, serie, date, void) FROM fact_quota
    WHERE source_sha256 IN (SELECT source_sha256 FROM fact_quota GROUP BY source_sha256 HAVING min(revision) != max(revision))
      AND ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64}))
    GROUP BY source_sha256
)
GROUP BY file
UNION ALL
SELECT 'fact_investment_value' AS table, source_sha256 AS file, uniqExact(run, serie, date, void) AS rows FROM fact_investment_value
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
-- Every other table of facts.
SELECT toString(_table) AS table, source_sha256 AS file, uniqExact(natural_key) AS rows
FROM merge(currentDatabase(), (SELECT pattern FROM keyed_fact_table))
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY _table, file
