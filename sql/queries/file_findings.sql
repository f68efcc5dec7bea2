-- In what files differ from the files before them, those in quarantine first, then the newest.
--   most  greatest number of findings
SELECT dataset, file, sha256, state, judged_at, kind, column, before, now, line, at_stake
FROM file_finding
ORDER BY state = 'quarantined' DESC, judged_at DESC, dataset, file DESC, sha256, at_stake DESC, column, kind
LIMIT {most:UInt32}
