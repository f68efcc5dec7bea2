-- The account that an identity is bound to, and its address; no row when it is
-- bound to none. The update changes nothing, but it locks the account.
UPDATE accounts SET email = email
WHERE id = (SELECT account_id FROM identities WHERE digest = $1) AND forgotten_at IS NULL
RETURNING id, email
