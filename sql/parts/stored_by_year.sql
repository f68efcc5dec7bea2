-- How a table of days is stored.
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (KEY)
