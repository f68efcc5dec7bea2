-- Price returns in accounting currency at any date, of the series in the list: the values of
-- batch_price_return from the quotes of a published batch. It fails if the batch is not
-- published. An empty list gives no rows. Tests read it, and operators may; people read
-- funds.returns_daily_long. For every series use all_price_return_as_of.
--   SELECT * FROM price_return_as_of(batch = 7, as_of = '2024-02-29', series = [4047362302])
CREATE OR REPLACE VIEW price_return_as_of AS
SELECT *
FROM batch_price_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = {series:Array(UInt32)}, all_series = false)
WHERE parts.is_published
SETTINGS join_use_nulls = 0
