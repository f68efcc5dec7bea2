-- The series that each row of lines names, by any of its names.
INNER JOIN
(
    SELECT run AS label_run, serie AS label_serie, series_id, position, valid_from, valid_until
    FROM batch_series_name(batch = {batch:UInt64})
) AS labels ON label_run = lines.run AND label_serie = lines.serie
