-- Every calendar day from the first quote to the last one, and how complete the market is.
--   SELECT date FROM funds.calendar WHERE business_day AND NOT complete
CREATE OR REPLACE VIEW funds.calendar
(
    date                Date            COMMENT 'Calendar day',
    business_day        Nullable(Bool)  COMMENT 'An official dollar rate is published for the day, as for every banking day; null before the first and after the last known rate',
    month_end           Bool            COMMENT 'Last day of its month',
    has_data            Bool            COMMENT 'At least half of the series counted have a quote',
    complete            Bool            COMMENT 'At least 98 % of the series counted have a quote, and those with a row hold 99 % of the equity',
    series              UInt32          COMMENT 'Number of series of mutual funds with a quote on the day',
    prior_series        UInt32          COMMENT 'Number of series counted: those with a row on the day, rejected or not, and those with one since the last complete day or in the 7 days before that have stated no end',
    present_series      UInt32          COMMENT 'Number of these with a row on the day',
    rejected_series     UInt32          COMMENT 'Number of these whose row was rejected, those of which nothing else is known included',
    prior_equity_clp    Nullable(Float64) COMMENT 'Equity of the series counted at their last quote before the day, full pesos; null on a day without a row',
    present_equity_clp  Nullable(Float64) COMMENT 'Part of it that the present series hold, full pesos; null on a day without a row'
)
SQL SECURITY DEFINER AS
WITH
    published_rates AS (SELECT date AS rate_date FROM batch_indicator(batch = {batch:UInt64}) WHERE code = 'dolar'),
    (SELECT (min(rate_date), max(rate_date)) FROM published_rates) AS known
SELECT
    days.date AS date,
    days.date BETWEEN known.1 AND known.2 ? toBool(days.date IN (SELECT rate_date FROM published_rates)) : NULL AS business_day,
    toBool(days.date = toLastDayOfMonth(days.date)) AS month_end,
    counts.has_data AS has_data, counts.complete AS complete, counts.series AS series,
    counts.prior_series AS prior_series, counts.present_series AS present_series, counts.void_series AS rejected_series,
    counts.rows = 0 ? NULL : toFloat64(counts.prior_equity_clp) AS prior_equity_clp,
    counts.rows = 0 ? NULL : toFloat64(counts.present_equity_clp) AS present_equity_clp
parts.from_calendar
SETTINGS join_use_nulls = 0
COMMENT 'Calendar days: business days, and how complete the market is. Key: date.'
