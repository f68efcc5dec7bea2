-- Whether a batch is published. It runs right after the statement that publishes it.
SELECT count() AS kept FROM batch WHERE batch = {batch:UInt64}
