INSERT INTO fact_rename
    (run, previous_serie, revision, source_sha256, source_line, current_serie, first_current_date, evidence_url,
     evidence_sha256)
