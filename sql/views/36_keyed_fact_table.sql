-- The tables of facts that are counted by their column natural_key, as a pattern for the
-- function merge. fact_quota and fact_investment_value are not among them.
--   SELECT pattern FROM keyed_fact_table
CREATE OR REPLACE VIEW keyed_fact_table AS
SELECT concat('^(', arrayStringConcat(groupArray(table), '|'), ')$') AS pattern
FROM system.columns
-- People may have tables of their own with a column of this name.
WHERE database = currentDatabase() AND name = 'natural_key' AND default_kind = 'ALIAS' AND startsWith(table, 'fact_')
