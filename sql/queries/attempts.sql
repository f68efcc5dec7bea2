-- Compares the batch that is being built with all batches that were begun.
--   claims     how many projectors took its number; more than one is a conflict
--   newest     the newest number that was taken; if it is greater, this batch is superseded
--   published  the published batch; 0 if there is none
--   plan       the last plan that is published or was refused
SELECT
    (SELECT uniqExact(claim) FROM batch_attempt WHERE batch = {batch:UInt64}) AS claims,
    (SELECT max(batch) FROM batch_attempt) AS newest,
    (SELECT max(batch) FROM batch) AS published,
    (SELECT max(plan) FROM plan_batch) AS plan
