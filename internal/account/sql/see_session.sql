UPDATE sessions SET seen_at = $1 WHERE digest = $2 AND seen_at < $1
