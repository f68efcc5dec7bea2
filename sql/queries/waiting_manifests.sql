-- Files that were published to Kafka whole and whose facts have not all arrived.
SELECT count() AS waiting FROM manifest FINAL WHERE sha256 NOT IN (SELECT sha256 FROM source)
