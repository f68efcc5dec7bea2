-- Each family in each currency on some days (RULES 7): the mean change of its series since
-- the previous index date, as it was known on that day (index_day), weighted by equity on
-- that date. Spikes are included, because only later days show that they are spikes. eligible are
-- the series that give it, and monthly those that give monthly_return, as batch_family_change has
-- them. A change that too few give is null (cuota_covers).
-- If current_only is set, only series alive at the batch's cutoff are included.
--   SELECT * FROM batch_family_summary(batch = 7, from = '2025-07-20', to = '2025-07-20', current_only = true)
CREATE OR REPLACE VIEW batch_family_summary AS
SELECT
    changes.date AS date, changes.family_rar AS family_rar, changes.currency AS currency, family_display,
    opened.opening_date AS previous_date,
    -- If there is no index date before, the changes since the newest previous day of any series tell how much is known.
    -- If that would be enough, none counts, because the change would be since a day that is no index date.
    ifNull(opened.opening_date, arrayMax(arrayMap(m -> m.6, daily))) AS since,
    if(long_steps.family_rar = '',
       arrayMap(m -> (m.1, m.2, m.3, m.4, m.5), arrayFilter(m -> m.6 = since, daily)),
       long_steps.counted_changes) AS known,
    arrayFilter(m -> opened.opening_date IS NOT NULL OR NOT cuota_covers(known, equity), known) AS eligible,
    cuota_covered_mean(eligible, equity) AS daily_return,
    monthly, monthly_return, equity, series, runs
FROM batch_family_change(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}, current_only = {current_only:Bool}) AS changes
LEFT JOIN
(
    SELECT date, family_rar, currency, opening_date FROM index_day
    WHERE batch = {batch:UInt64} AND date BETWEEN {from:Date} AND {to:Date} AND opening_date IS NOT NULL
) AS opened ON opened.date = changes.date AND opened.family_rar = changes.family_rar AND opened.currency = changes.currency
LEFT JOIN
(
    -- A step stays even if none of its series counts. Its list is then empty.
    SELECT
        date, family_rar, currency, previous_date,
        arraySort(groupArrayIf((change.1, change.2, change.3, change.4, change.5),
                               NOT {current_only:Bool} OR change.1 IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64})))) AS counted_changes
    FROM batch_family_long_step(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date})
    ARRAY JOIN changes AS change
    GROUP BY date, family_rar, currency, previous_date
) AS long_steps
    ON long_steps.date = changes.date AND long_steps.family_rar = changes.family_rar AND long_steps.currency = changes.currency AND long_steps.previous_date = opened.opening_date
SETTINGS join_use_nulls = 0
