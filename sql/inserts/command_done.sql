INSERT INTO command_done (id, batch, done_at, failure)
