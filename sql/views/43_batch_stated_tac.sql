-- Every cost rate that a file states, as batch N sees it, with corrections applied. Each
-- has its series, or the reason why it belongs to none and is left out (batch_tac_statement).
--   SELECT dataset, reason, count() FROM batch_stated_tac(batch = 7) GROUP BY dataset, reason
CREATE OR REPLACE VIEW batch_stated_tac AS
SELECT * EXCEPT (percent, newest, first)
FROM batch_tac_statement(batch = {batch:UInt64}, months = [], all_months = true)
WHERE newest
