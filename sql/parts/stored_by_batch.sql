-- How a table of batches is stored: the rows of an old batch are dropped as a partition.
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, KEY)
