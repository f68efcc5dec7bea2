INSERT INTO fact_discontinuity
    (run, serie, date, revision, source_sha256, source_line, note, evidence_url, evidence_sha256)
