-- Links, and sign-ins elsewhere under way, that would still begin a session of the
-- person of this address.
DELETE FROM links WHERE email = $1 AND purpose IN ('sign_in', 'hand_over')
