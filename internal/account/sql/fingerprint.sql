SELECT fingerprint FROM pepper_fingerprint WHERE id = 1
