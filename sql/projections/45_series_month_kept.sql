-- The closed months that this batch does not compute, copied from the previous batch.
INSERT INTO series_month (batch, series_id, month, quote_date, equity, growth, peak, trough, drawdown, cost_rate, cost_days)
SELECT {batch:UInt64}, series_id, month, quote_date, equity, growth, peak, trough, drawdown, cost_rate, cost_days
FROM series_month
WHERE batch = {previous:UInt64} AND month <= {as_of:Date}
  AND month NOT IN (SELECT month FROM series_month_version WHERE batch = {batch:UInt64})
