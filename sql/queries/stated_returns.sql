-- The windows of some series at a date: value and its currency, or the reason why there is none, and the days of their
-- quotes. sql.Supposing gives it the rules over the quotes that a file states.
SELECT series_id, window, value, currency, reason, effective_start, effective_end
FROM batch_price_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = {series:Array(UInt32)},
                        all_series = false)
ORDER BY series_id, window
