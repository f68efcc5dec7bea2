-- How the batch that is being built stands among all that were begun.
--   claims     how many took its number: one
--   newest     the newest number that was taken; a greater one than its own supersedes it
--   published  the published batch, 0 before the first
SELECT
    (SELECT uniqExact(claim) FROM batch_attempt WHERE batch = {batch:UInt64}) AS claims,
    (SELECT max(batch) FROM batch_attempt) AS newest,
    (SELECT max(batch) FROM batch) AS published
