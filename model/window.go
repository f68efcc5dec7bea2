package model

// Windows are the eight return windows, in the order of the contract.
var Windows = []string{"1m", "3m", "6m", "1y", "ytd", "3y_ann", "5y_ann", "last_closed_month"}
