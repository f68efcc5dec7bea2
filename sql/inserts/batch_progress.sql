INSERT INTO batch_progress (batch, done, projections)
