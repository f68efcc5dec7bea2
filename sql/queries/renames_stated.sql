-- Whether any file of a batch that is being built states renames.
SELECT count() > 0 AS stated FROM fact_rename WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
