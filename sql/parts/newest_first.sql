-- The order of the facts with one key, in which the one that counts comes first.
revision DESC, source_sha256 DESC, source_line DESC
