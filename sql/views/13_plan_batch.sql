-- The batches that each plan led to: published ones, and those that were refused by their checks, with the reason.
--   SELECT batch FROM plan_batch WHERE plan = 7 AND failure = ''
CREATE OR REPLACE VIEW plan_batch AS
-- A batch that an earlier version published without a plan has its own number in its public name. Batches that are not
-- kept, and those whose row was lost, are in publication.
SELECT toUInt64OrZero(splitByChar('-', batch_id)[2]) AS plan, batch, '' AS failure
FROM (SELECT batch_id, batch FROM batch UNION DISTINCT SELECT batch_id, batch FROM publication)
UNION ALL
SELECT plan, attempt, failed.reason
FROM plan_attempt
INNER JOIN (SELECT batch, any(reason) AS reason FROM batch_failure WHERE refused GROUP BY batch) AS failed ON failed.batch = attempt
