-- market_completeness, of the current batch.
--   SELECT * FROM current_market_completeness LIMIT 10
CREATE OR REPLACE VIEW current_market_completeness AS
SELECT * EXCEPT (batch) FROM market_completeness WHERE batch = (SELECT max(batch) FROM batch)
