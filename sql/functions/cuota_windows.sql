-- The eight windows of returns that end at a date (RULES 1), in the order of the contract, as
-- (window, years, target_start, target_end). years is the number of years over which the
-- return is annualised, and 0 if it is not.
--
-- 45_window_endpoints states the dates again: change both together. docs/rules.md lists under "Windows and
-- the quotes that stand for their dates" what states the years again, and what must follow the longest window.
CREATE OR REPLACE FUNCTION cuota_windows AS
    (as_of, closed_month_end) ->
    [
        ('1m',     toUInt8(0), subtractMonths(as_of, 1),  as_of),
        ('3m',     toUInt8(0), subtractMonths(as_of, 3),  as_of),
        ('6m',     toUInt8(0), subtractMonths(as_of, 6),  as_of),
        ('1y',     toUInt8(0), subtractMonths(as_of, 12), as_of),
        ('ytd',    toUInt8(0), toStartOfYear(as_of) - 1,  as_of),
        ('3y_ann', toUInt8(3), subtractMonths(as_of, 36), as_of),
        ('5y_ann', toUInt8(5), subtractMonths(as_of, 60), as_of),
        ('last_closed_month', toUInt8(0), toLastDayOfMonth(subtractMonths(closed_month_end, 1)), closed_month_end)
    ]
