-- From now on the store opens with another pepper.
INSERT INTO pepper_fingerprint (id, fingerprint) VALUES (1, $1)
ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint
