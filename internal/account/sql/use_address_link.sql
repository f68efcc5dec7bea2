-- Notes that the link with digest $2 was used on day $1.
UPDATE address_links SET used_on = $1 WHERE digest = $2 AND (used_on IS NULL OR used_on < $1)
