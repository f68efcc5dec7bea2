-- The day by which the next data of a dataset should be here: so many days after the end of the
-- first period of which the last day is not covered yet. Null without an objective or a last day.
CREATE OR REPLACE FUNCTION cuota_due_on AS
    (period, days, last) -> multiIf(
        period = 'day',     toNullable(addDays(last, 1 + days)),
        period = 'month',   toNullable(addDays(toLastDayOfMonth(addDays(last, 1)), days)),
        period = 'quarter', toNullable(addDays(toStartOfQuarter(addQuarters(addDays(last, 1), 1)), days - 1)),
        NULL)
