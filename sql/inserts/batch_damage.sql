INSERT INTO batch_damage (batch, found_at, table, reason)
