-- The verified factors: of each series and day the line that counts, as in factor_history_as_of.
FROM (SELECT * FROM fact_factor WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))) AS facts
INNER JOIN batch_series_name(batch = {batch:UInt64}) AS labels ON labels.run = facts.run AND labels.serie = facts.serie
ORDER BY series_id, facts.date, facts.date BETWEEN labels.valid_from AND labels.valid_until DESC, labels.position,
         facts.revision DESC, facts.source_sha256 DESC, facts.source_line DESC
LIMIT 1 BY series_id, facts.date
