INSERT INTO fact_indicator (code, date, revision, source_sha256, source_line, value)
