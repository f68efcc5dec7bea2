-- The published batch, the number of complete files that it does not include, and the
-- checksum of the statements that computed it.
SELECT
    (SELECT max(batch) FROM batch) AS published,
    countIf(sha256 NOT IN (SELECT sha256 FROM batch_file(batch = (SELECT max(batch) FROM batch)))) AS unprojected,
    (SELECT argMax(rules, batch) FROM batch) AS rules
FROM complete_file FINAL
