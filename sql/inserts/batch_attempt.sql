INSERT INTO batch_attempt (batch, started_at, claim)
