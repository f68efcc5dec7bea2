SELECT digest FROM identities WHERE account_id = $1 AND issuer = $2
