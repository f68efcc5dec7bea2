-- The quotes of some series by calendar day. It has one row for each series. Its quotes are
-- a text of the format RowBinary: an array of numbers, the first of which is the quote of the day {from}. 0 means that the day has
-- none. A void row is no quote.
--   cutoff  last day: on later days, only a part of the market has quotes
SELECT series_id, formatRow('RowBinary', groupArrayInsertAt(0.)(toFloat64(assumeNotNull(quota)), toUInt32(date - {from:Date}))) AS quotas
FROM batch_series_day(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = false)
WHERE date BETWEEN {from:Date} AND {cutoff:Date} AND quota > 0
GROUP BY series_id
