-- The months of which several files state cost rates, so that one may correct another.
SELECT month FROM batch_cost_month(batch = {batch:UInt64}) WHERE files > 1 ORDER BY month
