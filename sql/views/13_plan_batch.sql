-- The batch that each plan led to: the published one, and those that were refused by their checks, with the reason.
-- The plans of batches that are not kept any more are missing.
--   SELECT batch FROM plan_batch WHERE plan = 7 AND failure = ''
CREATE OR REPLACE VIEW plan_batch AS
-- A batch that an earlier version published without a plan has its own number in its public name.
SELECT toUInt64OrZero(splitByChar('-', batch_id)[2]) AS plan, batch, '' AS failure FROM batch
UNION ALL
SELECT plan, attempt, failed.reason
FROM plan_attempt
INNER JOIN (SELECT batch, any(reason) AS reason FROM batch_failure WHERE refused GROUP BY batch) AS failed ON failed.batch = attempt
