-- A link that could be used at $3, without using it.
SELECT email, return_url FROM links WHERE digest = $1 AND purpose = $2 AND expires_at > $3
