-- The batches that the notary appends to its log, the oldest first: those that are kept and undamaged.
--   number  the number of its plan
--   as_of   its cutoff, as YYYY-MM-DD; '' if there is none
SELECT
    batch, batch_id, toUInt64OrZero(splitByChar('-', batch_id)[2]) AS number, ifNull(toString(as_of_date), '') AS as_of,
    toString(rules) AS rules
FROM batch
WHERE batch NOT IN (SELECT batch FROM batch_damage)
ORDER BY number
