-- The complete files that no plan has, in the order of publication.
--   most  so many files at the most
SELECT sha256
FROM complete_file FINAL
WHERE sha256 NOT IN (SELECT arrayJoin(files) FROM batch_plan)
ORDER BY revision, dataset, sha256
LIMIT {most:UInt64}
