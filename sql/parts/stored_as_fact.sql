-- How a table of facts is stored: a row that is delivered twice is stored once, and a correction
-- beside what it corrects.
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (KEY, revision, source_sha256)
