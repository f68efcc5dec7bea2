-- Rejected rows that are kept no longer.
DELETE FROM rejected_row WHERE (dataset, source_sha256) IN (SELECT dataset, source_sha256 FROM outdated_reject)
