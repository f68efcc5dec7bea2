-- How many files have a manifest and are not complete yet.
SELECT uniqExact(sha256) AS files FROM manifest WHERE sha256 NOT IN (SELECT sha256 FROM complete_file)
