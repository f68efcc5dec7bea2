-- Uses a state up, for the browser that it was made for and no other.
DELETE FROM oauth_states
WHERE digest = $1 AND browser = $2 AND expires_at > $3
RETURNING return_url
