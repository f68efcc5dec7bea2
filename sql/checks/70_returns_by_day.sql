-- The windows that are stored by day are those that the batch computes at its cutoff from the
-- quotes, and every day that the batch has built has rows if any quota is valid. The two ways
-- share no statement, so a day that was not built again although its quotes changed is found at
-- the cutoff at least. Without a cutoff there is nothing to compare.
WITH
    stored AS (SELECT * FROM batch_stored_return(batch = {batch:UInt64}, from = {as_of:Date}, to = {as_of:Date})),
    computed AS (SELECT * FROM series_return WHERE batch = {batch:UInt64})
SELECT format('series {} window {}: {} from {} to {} is stored for {}, but the batch computes {} from {} to {}',
              toString(computed.series_id), computed.window,
              coalesce(toString(stored.value), toString(stored.reason), 'nothing'), ifNull(toString(stored.effective_start), 'null'), ifNull(toString(stored.effective_end), 'null'), toString({as_of:Date}),
              coalesce(toString(computed.value), toString(computed.reason), 'nothing'), ifNull(toString(computed.effective_start), 'null'), ifNull(toString(computed.effective_end), 'null')) AS violation
FROM computed
LEFT JOIN stored ON stored.series_id = computed.series_id AND stored.window = computed.window
WHERE (SELECT count() FROM market_completeness WHERE batch = {batch:UInt64} AND complete) > 0
  AND if(stored.series_id = 0,
         computed.value IS NOT NULL,
         NOT (stored.value <=> computed.value AND stored.reason <=> computed.reason
              AND stored.effective_start <=> computed.effective_start AND stored.effective_end <=> computed.effective_end))
LIMIT 10
UNION ALL
SELECT format('{} is built by the batch and has no stored windows', toString(date))
FROM return_day_version
WHERE build = {batch:UInt64} AND date NOT IN (SELECT date FROM return_day WHERE build = {batch:UInt64})
  AND date IN (SELECT date FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true) WHERE quota > 0)
LIMIT 10
