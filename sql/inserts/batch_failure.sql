INSERT INTO batch_failure (batch, failed_at, reason, refused)
