DELETE FROM identities
