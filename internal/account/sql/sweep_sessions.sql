-- Sessions not seen since $1, or begun before $2.
DELETE FROM sessions WHERE seen_at <= $1 OR created_at <= $2
