-- Revokes the keys of an account and tier in whose place a new one comes, and gives the id under which their
-- requests are counted, which is the same for all; no row when there is none. They are those with the same name,
-- and of the tier free whatever their name.
UPDATE api_keys
SET revoked_at = $1
WHERE account_id = $2 AND tier = $3 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1)
  AND (tier = 'free' OR COALESCE(name, '') = $4)
RETURNING COALESCE(counted_as, id)
