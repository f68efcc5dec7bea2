-- Binds an identity to an account. Gives no row if the account already has an identity
-- of this issuer, or if the identity is already bound to an account.
INSERT INTO identities (digest, issuer, account_id, bound_at) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING
RETURNING account_id
