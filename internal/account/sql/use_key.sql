-- Notes that key $2 was used on day $1.
UPDATE api_keys SET used_on = $1 WHERE id = $2 AND (used_on IS NULL OR used_on < $1)
