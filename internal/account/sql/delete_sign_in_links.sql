-- Links that would still sign the person of this address in: those that wait in a
-- mailbox, and the codes of sign-ins at an identity provider that were not used yet.
DELETE FROM links WHERE email = $1 AND purpose IN ('sign_in', 'hand_over')
