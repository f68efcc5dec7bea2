-- For how many series the net contributions of each day are known, as batch N sees it: of each
-- day the newest build up to N that no failed batch made.
--   SELECT * FROM batch_flow_day(batch = 7) WHERE date = '2025-07-20'
CREATE OR REPLACE VIEW batch_flow_day AS
SELECT * EXCEPT (build)
FROM flow_day
WHERE (date, build) IN parts.newest_builds(list: market_day_version)
