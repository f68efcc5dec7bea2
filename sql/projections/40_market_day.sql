-- One row for each series and day, for the days between {from} and {to} that this batch
-- builds. Outliers are found in two stages (RULES 7). In the first stage, a change beyond
-- the cap of its category is an outlier. In the second stage, in a family and currency with
-- at least ten remaining changes that day, a change is an outlier if its modified z-score
-- 0.6745 (r - median) / MAD exceeds 8 and it is more than half a percent point from the
-- median (two for monthly changes). If the MAD is 0, only the distance counts.
--
-- A row counts for its series until the next row, for at most seven days, and not on or
-- after the day on which the fund ended or the quotas were exchanged. A row after the end
-- of its fund counts only on its own day. On the later days on which a row counts, its series has the
-- classification of that day: restated has those that come into force meanwhile.
--
-- The flow of a business day (RULES 8) stands on its first calendar day: the sum of what the rows
-- state from there to the day before the next business day, at most seven days on. If none is
-- known yet, the last of these days with redemptions is the end. If the series lacks a row with
-- a flow on any of these calendar days, the business day is not complete. Sums are decimals.
--
-- chunks: market_chunks
INSERT INTO market_day
    (date, series_id, stands_until, build, manager_rut, currency, price, equity, shareholders, flow, previous_date, previous_equity, daily_change,
     month_date, month_equity, monthly_change, family_rar, family_display, category, classified_later, restated,
     daily_outlier, monthly_outlier, spike, spikes, unspikes, business_flow, business_until, flow_reason)
WITH
    directions AS (SELECT * FROM batch_flow_direction(batch = {batch:UInt64}, from = toDate({from:Date}) - 7, to = toDate({to:Date}) + 7)),
    business_days AS
    (
        SELECT business_currency, begun, multiIf(next_one != toDate(0) AND next_one <= latest, next_one - 1, closed >= begun, closed, toDate(0)) AS until
        FROM
        (
            SELECT
                currency AS business_currency, date AS begun, date + 7 AS latest,
                leadInFrame(date, 1, toDate(0)) OVER (PARTITION BY currency ORDER BY date ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS next_one
            FROM directions
            WHERE opens
        ) AS openings
        ASOF LEFT JOIN (SELECT currency AS closing_currency, date AS closed FROM directions WHERE closes) AS closings
            ON closing_currency = business_currency AND closed <= latest
    ),
    flowing AS
    (
        SELECT
            series_id AS flowing_series, date AS flowing_date, begun, until,
            countIf(date = begun) OVER of_business_day                                  AS begins,
            countIf(net IS NOT NULL AND date <= until) OVER of_business_day              AS flowing_days,
            sum(if(date <= until, ifNull(net, 0), 0)) OVER of_business_day               AS total
        FROM
        (
            SELECT series_id, date, toString(currency) AS flowing_currency, toDecimal128(units_contributed - units_redeemed, 4) * quota AS net
            FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
            WHERE date BETWEEN toDate({from:Date}) - 7 AND toDate({to:Date}) + 7 AND quota > 0
        ) AS stated
        ASOF INNER JOIN business_days ON business_currency = flowing_currency AND begun <= date
        WHERE date - begun <= 7
        WINDOW of_business_day AS (PARTITION BY series_id, flowing_currency, begun)
    ),
    by_comparator AS
    (
        SELECT series_id AS compared_series, valid_from AS compared_from, stated_on AS compared_on,
               family_rar, family_display, category AS compared_category
        FROM classification WHERE batch = {batch:UInt64} AND source = 'comparator'
    ),
    by_sheet AS
    (
        SELECT series_id AS listed_series, valid_from AS listed_from, stated_on AS listed_on, category AS listed_category
        FROM classification WHERE batch = {batch:UInt64} AND source = 'sheet'
    ),
    classified AS
    (
        SELECT
            *,
            if(compared_category IS NOT NULL, compared_category, listed_category) AS category,
            if(compared_category IS NOT NULL, compared_on, listed_on) > date      AS classified_later
        FROM batch_market_change(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}, series = [], all_series = true) AS changes
        ASOF LEFT JOIN by_comparator ON compared_series = changes.series_id AND compared_from <= changes.date
        ASOF LEFT JOIN by_sheet ON listed_series = changes.series_id AND listed_from <= changes.date
        WHERE date IN (SELECT date FROM market_day_version WHERE build = {batch:UInt64})
    ),
    -- The days on which something new was stated of a series, with its classification from then on.
    restatements AS
    (
        SELECT
            restated_series,
            arraySort(groupArray((day, toString(ifNull(family_rar, '')), toString(ifNull(family_display, '')),
                                  toString(ifNull(if(compared_category IS NOT NULL, compared_category, listed_category), '')),
                                  ifNull(if(compared_category IS NOT NULL, compared_on, listed_on) > day, false)))) AS restatement_list
        FROM
        (
            SELECT DISTINCT series_id AS restated_series, stated_on AS day
            FROM classification
            WHERE batch = {batch:UInt64} AND stated_on > {from:Date} AND stated_on <= toDate({to:Date}) + 7
        ) AS days
        ASOF LEFT JOIN by_comparator ON compared_series = restated_series AND compared_from <= day
        ASOF LEFT JOIN by_sheet ON listed_series = restated_series AND listed_from <= day
        GROUP BY restated_series
    ),
    ends AS
    (
        SELECT
            series_id AS ended_series,
            minIf(ended_on, by_register)            AS fund_ended, -- 1970-01-01 where none did
            groupArrayIf(ended_on, NOT by_register) AS exchanged
        FROM batch_series_end(batch = {batch:UInt64})
        GROUP BY series_id
    ),
    believed AS
    (
        SELECT
            *,
            if(abs(daily_return) <= daily_cap, daily_return, NULL)       AS daily_believed,
            if(abs(monthly_return) <= monthly_cap, monthly_return, NULL) AS monthly_believed
        FROM classified
        INNER JOIN (SELECT category AS capped_category, daily AS daily_cap, monthly AS monthly_cap FROM outlier_cap) AS caps
            ON capped_category = ifNull(category, '')
        LEFT JOIN ends ON ended_series = series_id
        LEFT JOIN restatements ON restated_series = series_id
    ),
    centred AS
    (
        SELECT
            *,
            count(daily_believed) OVER peers                             AS daily_peers,
            quantileExactInclusive(0.5)(daily_believed) OVER peers       AS daily_median,
            count(monthly_believed) OVER peers                           AS monthly_peers,
            quantileExactInclusive(0.5)(monthly_believed) OVER peers     AS monthly_median
        FROM believed
        WINDOW peers AS (PARTITION BY date, family_rar, currency)
    ),
    spread AS
    (
        SELECT
            *,
            abs(daily_believed - daily_median)                           AS daily_distance,
            quantileExactInclusive(0.5)(abs(daily_believed - daily_median)) OVER peers     AS daily_mad,
            abs(monthly_believed - monthly_median)                       AS monthly_distance,
            quantileExactInclusive(0.5)(abs(monthly_believed - monthly_median)) OVER peers AS monthly_mad
        FROM centred
        WINDOW peers AS (PARTITION BY date, family_rar, currency)
    )
SELECT
    date, series_id,
    least(
        date + 7,
        next_date - 1,
        multiIf(fund_ended = toDate(0), date + 7, fund_ended > date, fund_ended - 1, date),
        arrayMin(arrayPushBack(arrayMap(day -> day - 1, arrayFilter(day -> day > date, exchanged)), date + 7))) AS stands_until_day,
    {batch:UInt64}, manager_rut, currency, quota, equity, shareholders, flow,
    previous_date_used, previous_equity_used, 100 * daily_return,
    month_date_used, month_equity_used, 100 * monthly_return,
    family_rar, family_display, category, ifNull(classified_later, false),
    arrayFilter(said -> said.1 > date AND said.1 <= stands_until_day, restatement_list),
    multiIf(
        ifNull(abs(daily_return) > daily_cap, 0), 'cap',
        family_rar IS NOT NULL AND daily_peers >= 10
            AND ifNull(daily_distance > 0.005 AND (daily_mad = 0 OR 0.6745 * daily_distance / daily_mad > 8), 0), 'peers',
        ''),
    multiIf(
        ifNull(abs(monthly_return) > monthly_cap, 0), 'cap',
        family_rar IS NOT NULL AND monthly_peers >= 10
            AND ifNull(monthly_distance > 0.02 AND (monthly_mad = 0 OR 0.6745 * monthly_distance / monthly_mad > 8), 0), 'peers',
        ''),
    spike, spikes, unspikes,
    flow_reason = '' ? toFloat64(total) : NULL,
    flow_reason = '' ? until : NULL,
    multiIf(begun = date AND until >= begun AND flowing_days = until - begun + 1, '',
            begins > 0 AND begun != date,                                         'not_a_business_day',
            'incomplete_business_day') AS flow_reason
FROM spread
LEFT JOIN (SELECT * FROM flowing WHERE flowing_date BETWEEN {from:Date} AND {to:Date}) AS flows
    ON flowing_series = series_id AND flowing_date = date
