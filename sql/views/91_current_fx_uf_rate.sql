-- fx_uf_rate, of the current batch.
--   SELECT * FROM current_fx_uf_rate LIMIT 10
CREATE OR REPLACE VIEW current_fx_uf_rate AS
SELECT * EXCEPT (batch) FROM fx_uf_rate WHERE batch = (SELECT max(batch) FROM batch)
