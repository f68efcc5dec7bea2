-- Which renames are applied, and why others are not. The renames of a fund that
-- are left lead each name to one other, and no two to the same: from every name
-- one walks to the newest.
--
-- That a name lives on beside the one that it is said to have become, or came
-- long before it, shows two series, of which one absorbed the other: they are not
-- joined. What tells is the quotes, not the date of the rename, which may be some
-- days off: a name that is quoted more than seven days after a later name began.
INSERT INTO series_rename (batch, run, previous_serie, current_serie, first_current_date, reason)
WITH RECURSIVE
    stated AS (SELECT * FROM rename_of(batch = {batch:UInt64})),
    several_previous AS (SELECT run, current_serie FROM stated GROUP BY run, current_serie HAVING count() > 1),
    step AS (SELECT * FROM stated WHERE (run, current_serie) NOT IN several_previous),
    walk AS
    (
        SELECT run, previous_serie AS start, 1 AS hop, previous_serie, current_serie FROM step
        UNION ALL
        SELECT walk.run, walk.start, walk.hop + 1, step.previous_serie, step.current_serie
        FROM walk
        INNER JOIN step ON step.run = walk.run AND step.previous_serie = walk.current_serie
        WHERE walk.current_serie != walk.start AND walk.hop <= 32
    ),
    too_long AS (SELECT run, start FROM walk WHERE hop > 32),
    out_of_order AS
    (
        SELECT later.run AS run, arrayJoin([earlier.previous_serie, later.previous_serie]) AS previous_serie
        FROM step AS later
        INNER JOIN step AS earlier ON earlier.run = later.run AND earlier.current_serie = later.previous_serie
        WHERE later.first_current_date <= earlier.first_current_date
    ),
    quoted AS
    (
        SELECT run, serie, minIf(date, NOT void) AS first_quote, maxIf(date, NOT void) AS last_quote, countIf(NOT void) AS quotes
        FROM fact_quota
        WHERE source_sha256 IN (SELECT sha256 FROM source_of(batch = {batch:UInt64}))
          AND (run, serie) IN (SELECT run, previous_serie FROM stated UNION ALL SELECT run, current_serie FROM stated)
        GROUP BY run, serie
    ),
    clash AS
    (
        SELECT walk.run AS run, walk.start AS start, max(walk.hop) AS hops
        FROM walk
        INNER JOIN quoted AS old ON old.run = walk.run AND old.serie = walk.start
        INNER JOIN quoted AS new ON new.run = walk.run AND new.serie = walk.current_serie
        WHERE old.quotes > 0 AND new.quotes > 0 AND old.last_quote > new.first_quote + 7
        GROUP BY run, start
    )
SELECT
    {batch:UInt64}, run, previous_serie, current_serie, first_current_date,
    multiIf(
        (run, current_serie) IN several_previous, 'several_previous',
        (run, previous_serie) IN (SELECT run, start FROM walk WHERE current_serie = start), 'cycle',
        (run, previous_serie) IN (SELECT run, previous_serie FROM walk WHERE (run, start) IN too_long), 'chain_too_long',
        (run, previous_serie) IN out_of_order, 'dates_out_of_order',
        (run, previous_serie) NOT IN (SELECT run, serie FROM quoted) AND (run, current_serie) NOT IN (SELECT run, serie FROM quoted), 'unknown_series',
        (run, previous_serie) IN
            (SELECT walk.run, walk.previous_serie FROM walk INNER JOIN clash ON clash.run = walk.run AND clash.start = walk.start WHERE walk.hop <= clash.hops), 'both_quoted',
        '')
FROM stated
