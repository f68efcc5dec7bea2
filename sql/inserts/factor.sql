INSERT INTO fact_factor
    (run, serie, date, revision, source_sha256, source_line, distribution_factor, adjustment_factor, quota, currency,
     evidence_url, evidence_sha256)
