-- Which rows two copies of a batch compare one by one, and in which order: the same in both.
    cityHash64({key_1:Identifier}) % 16384 IN {buckets:Array(UInt16)}
    AND (empty({wanted:Array(UInt64)}) OR has({wanted:Array(UInt64)}, row_hash))
ORDER BY row_key, row_hash
SETTINGS max_bytes_before_external_sort = 500000000
