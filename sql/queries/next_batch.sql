-- Number for the next batch: above every batch that was ever begun.
SELECT max(batch) + 1 AS next FROM batch_attempt
