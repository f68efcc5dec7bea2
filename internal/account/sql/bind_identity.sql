-- Binds an identity to an account. No row when the account has an identity of this
-- issuer, or the identity an account.
INSERT INTO identities (digest, issuer, account_id, bound_at) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING
RETURNING account_id
