-- Total returns of some series at any date, as in total_returns, which computes all series even for
-- a filter by one. This view reads only the histories of the series in the list. All parameters are
-- required.
--   SELECT window, total_return FROM funds.total_returns_of(series = [1161378270], as_of = '2025-06-30', valuation = 'accounting')
--
-- changes: none
CREATE OR REPLACE VIEW funds.total_returns_of
parts.total_returns
FROM batch_total_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = {series:Array(UInt32)}, all_series = false, valuation = {valuation:String}) AS returns
WHERE (SELECT throwIf({valuation:String} NOT IN ('accounting', 'clp', 'real_uf'), 'valuation must be accounting, clp or real_uf')) = 0
SETTINGS join_use_nulls = 0
COMMENT 'Total returns of some series at a date: total_returns_of(series = [1161378270], as_of = ''2025-06-30'', valuation = ''accounting''). All parameters are required; valuation is accounting, clp or real_uf. Key: series_id, window.'
