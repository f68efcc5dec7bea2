-- Complete files that no published batch holds, the last published batch, and by
-- which statements it was computed.
SELECT
    (SELECT max(batch) FROM batch) AS published,
    countIf(sha256 NOT IN (SELECT sha256 FROM source_of(batch = (SELECT max(batch) FROM batch)))) AS unprojected,
    (SELECT argMax(rules, batch) FROM batch) AS rules
FROM source FINAL
