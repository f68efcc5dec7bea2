INSERT INTO rejected_row (dataset, source_sha256, source_line, revision, file, reason, raw, arrived_at)
