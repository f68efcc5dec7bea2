-- Rows of batch_source of a batch that was never published.
DELETE FROM batch_source WHERE batch = {batch:UInt64}
