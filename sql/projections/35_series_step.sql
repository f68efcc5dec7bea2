-- What happens to series of mutual funds between quotes (batch_series_step). {from} and {to} are the first and
-- the last id of a chunk of series.
--
-- chunks: series_chunks
INSERT INTO series_step (batch, series_id, date, broken, factor)
SELECT {batch:UInt64}, series_id, date, broken, factor
FROM batch_series_step(batch = {batch:UInt64}, first = toUInt32OrZero({from:String}), last = toUInt32OrZero({to:String}))
