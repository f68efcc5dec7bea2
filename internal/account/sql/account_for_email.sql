-- The account of this e-mail, made when there is none. The update changes
-- nothing, but it locks the row: whoever issues a key for the same e-mail waits.
INSERT INTO accounts (id, email, created_at)
VALUES ($1, $2, $3)
ON CONFLICT (email) DO UPDATE SET email = excluded.email
RETURNING id
