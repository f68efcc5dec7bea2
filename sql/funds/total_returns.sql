-- Total returns of every series at any date, with distributions reinvested: from verified factors
-- and exchanges. Both parameters are required: a date, and the valuation accounting, clp or
-- real_uf. It computes all series, even for a filter by one: for some series, use total_returns_of.
--   SELECT series_id, total_return FROM funds.total_returns(as_of = '2025-06-30', valuation = 'accounting') WHERE window = '1y'
--
-- changes: none
CREATE OR REPLACE VIEW funds.total_returns
parts.total_returns
FROM batch_total_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [], all_series = true, valuation = {valuation:String}) AS returns
WHERE (SELECT throwIf({valuation:String} NOT IN ('accounting', 'clp', 'real_uf'), 'valuation must be accounting, clp or real_uf')) = 0
SETTINGS join_use_nulls = 0
COMMENT 'Total returns of every series at a date: total_returns(as_of = ''2025-06-30'', valuation = ''accounting''). Both parameters are required; valuation is accounting, clp or real_uf. Key: series_id, window.'
