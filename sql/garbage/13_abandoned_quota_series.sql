-- Rows of quota_series of a batch that was never published.
--
-- garbage: abandoned
DELETE FROM quota_series WHERE batch = {batch:UInt64}
