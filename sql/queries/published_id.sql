-- The public name of the current batch; no row while there is none.
SELECT batch_id FROM published
