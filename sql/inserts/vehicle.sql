INSERT INTO fact_vehicle (run, revision, source_sha256, source_line, is_etf, note, evidence_url, evidence_sha256)
