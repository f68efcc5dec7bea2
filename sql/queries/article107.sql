-- What the regulation of a fund, or of every fund, declares about article 107 (RULES 10). No row means that no fund
-- has that RUN. A fund without an assessment has the status unknown. The freshness of an
-- assessment is:
--   unknown  nothing was ever assessed
--   stale    the regulator shows another document than the assessed one, or
--            nobody looked for more than 35 days
--   fresh    else
-- Parameters:
--   run       RUN of the fund without check digit
--   all_runs  true: every fund, whatever the RUN
--   as_of     Santiago day up to which the days are counted
SELECT
    known.run AS run,
    if(assessed.status = '', 'unknown', assessed.status) AS status,
    multiIf(assessed_at IS NULL, 'unknown',
            observed_cmf_document_id != '' AND observed_cmf_document_id != cmf_document_id, 'stale',
            dateDiff('day', toDate32(greatest(assessed_at, ifNull(updated_at, assessed_at)), 'America/Santiago'), {as_of:Date}) > 35, 'stale',
            'fresh') AS freshness,
    nullIf(status_reason, '') AS status_reason, assessed_at, updated_at,
    nullIf(cmf_document_id, '') AS cmf_document_id, nullIf(observed_cmf_document_id, '') AS observed_cmf_document_id,
    nullIf(document_url, '') AS document_url, nullIf(document_sha256, '') AS document_sha256,
    cmf_deposit_date, cmf_last_modified_date, fetched_at,
    nullIf(toString(review_status), '') AS review_status, reviewed_at, nullIf(reviewed_by, '') AS reviewed_by, nullIf(review_note, '') AS review_note,
    has_evidence, nullIf(evidence_text, '') AS evidence_text, evidence_page, evidence_offset, nullIf(toString(evidence_section), '') AS evidence_section,
    series_exception, rule_id, parser_version, classifier_version
FROM (SELECT run FROM fund WHERE batch = {batch:UInt64} AND ({all_runs:Bool} OR run = cuota_rol({run:UInt32}))) AS known
LEFT JOIN batch_article107(batch = {batch:UInt64}) AS assessed ON cuota_rol(assessed.run) = known.run
