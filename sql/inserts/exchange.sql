INSERT INTO fact_exchange
    (event_id, event_revision, revision, source_sha256, source_line, origin_run, origin_serie, destination_run,
     destination_serie, effective_date, valuation_date, factor, evidence_url, evidence_sha256)
