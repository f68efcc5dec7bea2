-- The batches that are kept and not damaged, in the order of their publication, each with its cutoff.
SELECT batch_id, assumeNotNull(as_of_date) AS cutoff
FROM published_batch
WHERE kept AND NOT damaged AND as_of_date IS NOT NULL
ORDER BY batch
