-- The complete files that must be planned, in the order of publication: those that neither the published batch has, nor
-- a plan after it, and those that no plan ever had, so that the log says what the batches consist of. A plan that was
-- refused since then has its files until the next plan, which has them too, or until one of them comes again.
--   most  so many files at the most
WITH (SELECT max(plan) FROM plan_batch WHERE failure = '') AS published
SELECT sha256
FROM complete_file FINAL
WHERE (sha256 NOT IN (SELECT arrayJoin(files) FROM batch_plan WHERE plan > published)
       OR sha256 IN (SELECT sha256 FROM file_again WHERE plan = (SELECT max(plan) FROM batch_plan)))
  AND (sha256 NOT IN (SELECT sha256 FROM batch_file(batch = (SELECT max(batch) FROM batch)))
       OR sha256 NOT IN (SELECT arrayJoin(files) FROM batch_plan))
ORDER BY revision, dataset, sha256
LIMIT {most:UInt64}
