-- Returns in pesos (valuation 'clp') or in UF ('real_uf') at any date, of the series in
-- the list: the values of batch_valued_return from the quotes of a published batch. It fails
-- if the batch is not published, and for any other valuation. An empty list gives no rows.
-- Tests read it, and operators may; people read funds.returns_daily_long. For every series use
-- all_valued_return_as_of.
--   SELECT * FROM valued_return_as_of(batch = 7, as_of = '2024-02-29', series = [4047362302], valuation = 'real_uf')
CREATE OR REPLACE VIEW valued_return_as_of AS
SELECT *
FROM batch_valued_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = {series:Array(UInt32)}, all_series = false, valuation = {valuation:String})
WHERE parts.is_published
  AND (SELECT throwIf({valuation:String} NOT IN ('clp', 'real_uf'), 'valuation must be clp or real_uf')) = 0
SETTINGS join_use_nulls = 0
