INSERT INTO fact_risk_free (name, date, revision, source_sha256, source_line, annual_percent, evidence_url, evidence_sha256)
