INSERT INTO fact_benchmark_price (symbol, date, revision, source_sha256, source_line, close)
