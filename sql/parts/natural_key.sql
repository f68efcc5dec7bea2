-- The key by which the facts of a file are counted (keyed_fact_table).
natural_key  FixedString(16) ALIAS sipHash128(KEY)
    COMMENT 'Hash of the natural key: KEY. Two rows of a file with the same hash are one fact'
