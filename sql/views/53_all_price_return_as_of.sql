-- Price returns in accounting currency at any date, of every series: the values of
-- batch_price_return from the quotes of a published batch. It fails if the batch is not
-- published. Operators and tests read it; people read funds.returns_daily_long.
--   SELECT * FROM all_price_return_as_of(batch = 7, as_of = '2024-02-29')
CREATE OR REPLACE VIEW all_price_return_as_of AS
SELECT *
FROM batch_price_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [], all_series = true)
WHERE
(
    SELECT throwIf(count() = 0, 'this batch is not published: see the table batch for the published batches')
    FROM batch WHERE batch = {batch:UInt64}
) = 0
SETTINGS join_use_nulls = 0
