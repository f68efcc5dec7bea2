DELETE FROM identities WHERE account_id = $1
