-- The published batch, the number of complete files that it does not include, the checksum of
-- the statements that computed it, and the newest moment of publication.
SELECT
    (SELECT max(batch) FROM batch) AS published,
    countIf(sha256 NOT IN (SELECT sha256 FROM batch_file(batch = (SELECT max(batch) FROM batch)))) AS unprojected,
    (SELECT argMax(rules, batch) FROM batch) AS rules,
    (SELECT max(calculated_at) FROM batch) AS published_at
FROM complete_file FINAL
