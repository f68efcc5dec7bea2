-- Returns in pesos (valuation 'clp') or in UF ('real_uf') at any date, of the
-- series that the list names, for people: what adjusted_return_of computes from
-- the quotes of a published batch. A batch that is not published is an error,
-- and so is any other valuation. A list without series gives no rows; every
-- series: all_adjusted_return_at.
--   SELECT * FROM adjusted_return_at(batch = 7, as_of = '2024-02-29', series = [4047362302], valuation = 'real_uf')
CREATE OR REPLACE VIEW adjusted_return_at AS
SELECT *
FROM adjusted_return_of(batch = {batch:UInt64}, as_of = {as_of:Date}, series = {series:Array(UInt32)}, all_series = false, valuation = {valuation:String})
WHERE (SELECT throwIf(count() = 0, 'this batch is not published: the table batch lists those that are') FROM batch WHERE batch = {batch:UInt64}) = 0
  AND (SELECT throwIf({valuation:String} NOT IN ('clp', 'real_uf'), 'valuation is clp or real_uf')) = 0
SETTINGS join_use_nulls = 0
