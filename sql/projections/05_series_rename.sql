-- Which renames are applied, and why the others are not. The applied renames of a fund give
-- each name at most one next name, and no two names the same next name. So a walk from
-- every name ends at the newest one.
--
-- If a name is still quoted beside the name that it is said to have become, or that name
-- was quoted long before, then these are two series, of which one absorbed the other, and
-- they are not joined. The quotes decide this, because the date of a rename may be some
-- days off: a name must not be quoted more than seven days after a later name began.
--
-- when: renames_stated
INSERT INTO series_rename (batch, run, previous_serie, current_serie, first_current_date, reason)
WITH RECURSIVE
    stated AS
    (
        SELECT *, count() OVER (PARTITION BY run, current_serie) AS takers
        FROM batch_rename(batch = {batch:UInt64})
    ),
    walk AS
    (
        SELECT run, previous_serie AS start, 1 AS hop, previous_serie, current_serie, first_current_date
        FROM stated
        WHERE takers = 1
        UNION ALL
        SELECT walk.run, walk.start, walk.hop + 1, stated.previous_serie, stated.current_serie, stated.first_current_date
        FROM walk
        INNER JOIN stated ON stated.run = walk.run AND stated.previous_serie = walk.current_serie
        WHERE stated.takers = 1 AND walk.current_serie != walk.start AND walk.hop <= 32
    ),
    quoted AS
    (
        SELECT run, serie, minIf(date, NOT void) AS first_quote, maxIf(date, NOT void) AS last_quote, countIf(NOT void) AS quotes
        FROM fact_quota
        WHERE (run, serie) IN (SELECT run, arrayJoin([previous_serie, current_serie]) FROM fact_rename)
          AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
        GROUP BY run, serie
    ),
    paths AS
    (
        -- The results of the walks for the renames on them.
        SELECT
            walk.run AS run,
            arraySort(groupArray((walk.hop, walk.previous_serie, walk.current_serie, walk.first_current_date,
                                  new.quotes > 0 AND old.quotes > 0 AND old.last_quote > new.first_quote + 7,
                                  new.run != 0 OR old.run != 0))) AS steps,
            steps[-1].3 = walk.start                                AS is_cycle,
            length(steps) > 32                                      AS is_long,
            length(steps) > 1 AND steps[2].4 <= steps[1].4          AS is_disordered,
            arrayLastIndex(step -> step.5, steps)                   AS clashing,
            arrayJoin(steps)                                        AS step
        FROM walk
        LEFT JOIN quoted AS old ON old.run = walk.run AND old.serie = walk.start
        LEFT JOIN quoted AS new ON new.run = walk.run AND new.serie = walk.current_serie
        GROUP BY walk.run, walk.start
    ),
    judged AS
    (
        SELECT
            run, step.2 AS previous_serie,
            max(step.1 = 1 AND is_cycle)       AS cycle,
            max(is_long)                       AS chain_too_long,
            max(step.1 <= 2 AND is_disordered) AS dates_out_of_order,
            max(step.1 = 1 AND step.6)         AS known,
            max(step.1 <= clashing)            AS both_quoted
        FROM paths
        GROUP BY run, previous_serie
    )
SELECT
    {batch:UInt64}, stated.run, stated.previous_serie, stated.current_serie, stated.first_current_date,
    multiIf(
        takers > 1,         'several_previous',
        cycle,              'cycle',
        chain_too_long,     'chain_too_long',
        dates_out_of_order, 'dates_out_of_order',
        NOT known,          'unknown_series',
        both_quoted,        'both_quoted',
        '')
FROM stated
LEFT JOIN judged ON judged.run = stated.run AND judged.previous_serie = stated.previous_serie
