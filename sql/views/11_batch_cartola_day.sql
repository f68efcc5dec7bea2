-- The cartolas of each day, as batch N sees them, in the order in which they were published
-- (docs/backtests.md, section 2). Nearly every day has one. If there are more, the later ones
-- may add rows or correct them. loaded_later is set if a file was published more than 62 days after the
-- day. Then nobody knows when its rows were seen first.
--   SELECT date FROM batch_cartola_day(batch = 7) WHERE place > 1
CREATE OR REPLACE VIEW batch_cartola_day AS
SELECT
    date, sha256, revision, toDate(revision) AS published_on, published_on - date > 62 AS loaded_later,
    row_number() OVER (PARTITION BY date ORDER BY revision, sha256) AS place
FROM
(
    SELECT sha256, min(published) AS revision, arrayJoin(arrayMap(day -> toDate(day), range(toUInt32(min(first_date)), toUInt32(max(last_date)) + 1))) AS date
    FROM (SELECT sha256, revision AS published, assumeNotNull(first_date) AS first_date, assumeNotNull(last_date) AS last_date
          FROM complete_file WHERE dataset = 'cartola' AND first_date IS NOT NULL AND last_date IS NOT NULL)
    WHERE sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
    GROUP BY sha256
)
