-- Notes the files among those that came again that are in a plan after the published batch. If its batch is refused,
-- they are planned again.
--   files  hashes of the files whose manifests come
INSERT INTO file_again (sha256, plan)
WITH (SELECT max(plan) FROM plan_batch WHERE failure = '') AS published
SELECT DISTINCT arrayJoin(files) AS sha256, (SELECT max(plan) FROM batch_plan)
FROM batch_plan
WHERE plan > published AND sha256 IN {files:Array(String)}
