-- The last month end on or before a date.
CREATE OR REPLACE FUNCTION cuota_closed_month_end AS
    as_of -> if(as_of = toLastDayOfMonth(as_of), as_of, toLastDayOfMonth(subtractMonths(as_of, 1)))
