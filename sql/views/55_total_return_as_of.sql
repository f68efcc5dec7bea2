-- Total returns in a valuation ('accounting', 'clp' or 'real_uf') at any date, of the
-- series in the list: the values of batch_total_return from the quotes of a published batch.
-- It fails if the batch is not published, and for any other valuation. An empty list gives no
-- rows. Tests read it, and operators may; people read funds.total_returns_of. For every series
-- use all_total_return_as_of.
--   SELECT * FROM total_return_as_of(batch = 7, as_of = '2024-02-29', series = [4047362302], valuation = 'accounting')
CREATE OR REPLACE VIEW total_return_as_of AS
SELECT *
FROM batch_total_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = {series:Array(UInt32)}, all_series = false, valuation = {valuation:String})
WHERE parts.is_published
  AND (SELECT throwIf({valuation:String} NOT IN ('accounting', 'clp', 'real_uf'), 'valuation must be accounting, clp or real_uf')) = 0
SETTINGS join_use_nulls = 0
