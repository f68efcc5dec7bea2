INSERT INTO fact_article107
    (run, revision, source_sha256, source_line, status, status_reason, assessed_at, updated_at, cmf_document_id,
     observed_cmf_document_id, document_url, document_sha256, cmf_deposit_date, cmf_last_modified_date, fetched_at,
     review_status, reviewed_at, reviewed_by, review_note, has_evidence, evidence_text, evidence_page, evidence_offset,
     evidence_section, series_exception, rule_id, parser_version, classifier_version)
