package model

// Windows lists the eight return windows in the order of the interface contract, section
// 2.
var Windows = []string{"1m", "3m", "6m", "1y", "ytd", "3y_ann", "5y_ann", "last_closed_month"}
