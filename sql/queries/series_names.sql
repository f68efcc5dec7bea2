-- The names of each renamed series, the newest first, with their ids and the days on which
-- they were valid, and the name at the cutoff. Without a cutoff that is the newest name.
WITH (SELECT ifNull(as_of_date, toDate('2149-06-06')) FROM batch WHERE batch = {batch:UInt64}) AS cutoff
SELECT
    series_id,
    groupArray(label_id) AS label_ids, groupArray(toString(serie)) AS names,
    groupArray(toString(labels.valid_from)) AS valid_from, groupArray(toString(labels.valid_until)) AS valid_until,
    anyIf(toString(serie), cutoff BETWEEN labels.valid_from AND labels.valid_until) AS cutoff_serie
FROM (SELECT * FROM series_label WHERE batch = {batch:UInt64} ORDER BY series_id, position) AS labels
GROUP BY series_id
