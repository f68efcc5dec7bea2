-- The windows of returns, in the order of cuota_windows.
1m, 3m, 6m, 1y, ytd, 3y_ann, 5y_ann, last_closed_month
