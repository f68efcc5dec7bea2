-- By when the next data of each dataset should be here. It is counted from the last day of which its
-- complete files speak, or from the day in Santiago on which the newest was published if they speak of
-- no day. A cartola of a few funds does not cover the market: it counts up to the last day that
-- has data of the market, as the published batch has it. due_on is null if nothing is expected, and a dataset without files has no row.
--   SELECT dataset, due_on FROM dataset_due WHERE due_on < today()
CREATE OR REPLACE VIEW dataset_due AS
SELECT
    files.dataset AS dataset, files.covered_to AS covered_to, objective.period AS period, objective.days AS days,
    cuota_due_on(objective.period, objective.days, files.covered_to) AS due_on
FROM
(
    SELECT
        toString(dataset) AS dataset,
        if(dataset = 'cartola',
           least(max(last_date), ifNull((SELECT maxOrNull(date) FROM market_completeness WHERE batch = (SELECT max(batch) FROM batch) AND has_data), max(last_date))),
           ifNull(max(last_date), toDate(max(revision), 'America/Santiago'))) AS covered_to
    FROM complete_file FINAL
    GROUP BY dataset
) AS files
LEFT JOIN (SELECT toString(dataset) AS dataset, toString(period) AS period, days FROM freshness_objective FINAL) AS objective
    ON objective.dataset = files.dataset
SETTINGS join_use_nulls = 0
