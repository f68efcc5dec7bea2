-- Copies to manifest the complete files whose manifest was lost. Both have the same columns.
INSERT INTO manifest (dataset, sha256, revision, file, first_date, last_date, rows, keys, rejected)
SELECT dataset, sha256, revision, file, first_date, last_date, rows, keys, rejected
FROM complete_file FINAL
WHERE sha256 NOT IN (SELECT sha256 FROM manifest)
