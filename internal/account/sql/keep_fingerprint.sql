-- The first process to open a store decides its pepper.
INSERT INTO pepper_fingerprint (id, fingerprint) VALUES (1, $1) ON CONFLICT (id) DO NOTHING
