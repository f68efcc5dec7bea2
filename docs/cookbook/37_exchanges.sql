-- What did the holders of a series that closed get for their quotas, and how did it go on?
--
-- Answer: one row for each exchange of quotas: the series, the one that was received, the day from which it
-- counts, quotas received for one, currency and value of one old quota on the day of valuation, currency and
-- value of what was received for it at the newest quota up to the cutoff, the day of that quota, and the gain
-- between the two values in percent.
-- Caveats: only exchanges that a file states. Values are without distributions. A value is null where a quota is
-- missing, and the gain also where the two currencies differ. If the series that was received closed or was
-- exchanged later, its last quota counts.
-- Market: synthetic
SELECT
    x.run AS run, x.serie AS serie, x.destination_run AS destination_run, x.destination_serie AS destination_serie,
    x.effective_date AS effective_date,
    round(x.factor, 6)                 AS quotas_received,
    x.valuation_date                   AS valuation_date,
    given.currency                     AS currency_then,
    round(given.quota, 2)              AS value_then,
    newest.date                        AS newest_date,
    newest.currency                    AS currency_now,
    round(x.factor * newest.quota, 2)  AS value_now,
    if(newest.currency = given.currency, round(100 * (x.factor * newest.quota / given.quota - 1), 2), NULL) AS gain_percent
FROM funds.exchanges AS x
LEFT JOIN funds.daily AS given ON given.series_id = x.series_id AND given.date = x.valuation_date
LEFT JOIN
(
    SELECT series_id, date, currency, quota
    FROM funds.daily
    WHERE series_id IN (SELECT destination_series_id FROM funds.exchanges)
      AND quota IS NOT NULL AND date <= (SELECT as_of_date FROM funds.published)
    ORDER BY date DESC
    LIMIT 1 BY series_id
) AS newest ON newest.series_id = x.destination_series_id
ORDER BY effective_date, run, serie, x.event_id
SETTINGS join_use_nulls = 1
