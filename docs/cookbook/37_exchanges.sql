-- What did the holders of a series that closed get for their quotas, and how did it go on?
--
-- Answer: one row for each exchange of quotas: the series, the one that was received, the day, quotas
-- received for one, the value of one old quota on that day, and the value of what was received at the
-- cutoff.
-- Caveats: only exchanges that a file states. Values are in the currency of the series, without
-- distributions.
-- Market: synthetic
SELECT
    x.run AS run, x.serie AS serie, x.destination_run AS destination_run, x.destination_serie AS destination_serie,
    x.effective_date AS effective_date,
    round(x.factor, 6)                                     AS quotas_received,
    round(given.quota, 2)                                  AS value_then,
    round(x.factor * now.quota, 2)                         AS value_now,
    round(100 * (x.factor * now.quota / given.quota - 1), 2) AS gain_percent
FROM funds.exchanges AS x
INNER JOIN funds.daily AS given ON given.series_id = x.series_id AND given.date = x.valuation_date
INNER JOIN funds.screener AS now ON now.series_id = x.destination_series_id
ORDER BY effective_date, run, serie
