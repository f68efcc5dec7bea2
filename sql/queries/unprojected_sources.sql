-- Complete files that no published batch holds, and the last published batch.
SELECT
    (SELECT max(batch) FROM batch) AS published,
    countIf(sha256 NOT IN (SELECT sha256 FROM source_of(batch = (SELECT max(batch) FROM batch)))) AS unprojected
FROM source FINAL
