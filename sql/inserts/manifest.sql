INSERT INTO manifest (dataset, sha256, revision, file, first_date, last_date, rows, keys, rejected)
