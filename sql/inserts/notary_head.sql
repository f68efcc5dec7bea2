INSERT INTO notary_head (origin, size, root, noted_at)
