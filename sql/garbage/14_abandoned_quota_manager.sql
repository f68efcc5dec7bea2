-- Rows of quota_manager of a batch that was never published.
--
-- garbage: abandoned
DELETE FROM quota_manager WHERE batch = {batch:UInt64}
