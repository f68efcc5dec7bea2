-- The files that are new in this batch: those of its plan and of plans before it that are in no published batch.
INSERT INTO batch_new_file (batch, dataset, sha256, revision)
SELECT {batch:UInt64}, dataset, sha256, revision
FROM complete_file FINAL
WHERE sha256 NOT IN (SELECT sha256 FROM batch_file(batch = {previous:UInt64}))
  AND sha256 IN (SELECT arrayJoin(files) FROM batch_plan WHERE plan <= {plan:UInt64})
