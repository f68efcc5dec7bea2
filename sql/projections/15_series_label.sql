-- The names of renamed series, from the newest name back to the first, each with the days
-- on which it was valid.
--
-- when: renames_stated
INSERT INTO series_label (batch, series_id, label_id, run, serie, position, valid_from, valid_until)
WITH RECURSIVE
    step AS (SELECT * FROM series_rename WHERE batch = {batch:UInt64} AND reason = ''),
    chain AS
    (
        SELECT run, current_serie AS newest, current_serie AS serie, 1 AS position, toDate('2149-06-06') AS valid_until
        FROM step
        WHERE (run, current_serie) NOT IN (SELECT run, previous_serie FROM step)
        UNION ALL
        SELECT chain.run, chain.newest, step.previous_serie, chain.position + 1, toDate(step.first_current_date - 1)
        FROM chain
        INNER JOIN step ON step.run = chain.run AND step.current_serie = chain.serie
    ),
    registered AS (SELECT id, run, serie FROM registry WHERE kind = 'series')
SELECT
    {batch:UInt64}, newest_label.id, label.id, chain.run, chain.serie, chain.position,
    if(began.run = 0, toDate('1970-01-01'), began.first_current_date),
    chain.valid_until
FROM chain
INNER JOIN registered AS label ON label.run = chain.run AND label.serie = chain.serie
INNER JOIN registered AS newest_label ON newest_label.run = chain.run AND newest_label.serie = chain.newest
LEFT JOIN step AS began ON began.run = chain.run AND began.current_serie = chain.serie
