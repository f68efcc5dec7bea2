DELETE FROM links WHERE email = $1
