-- Has the links of key $2 counted on key $1, and end with it.
UPDATE address_links SET key_id = $1 WHERE key_id = $2
