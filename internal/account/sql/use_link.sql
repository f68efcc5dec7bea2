-- Uses a link up. However often it is tried at once, one caller gets the row.
DELETE FROM links
WHERE digest = $1 AND purpose = $2 AND expires_at > $3 AND COALESCE(browser, $4) = $4
RETURNING email, return_url
