-- Fails if the batch is not published.
(
    SELECT throwIf(count() = 0, 'this batch is not published: see the table batch for the published batches')
    FROM batch WHERE batch = {batch:UInt64}
) = 0
