package backtest

// KeepNoLaterRows makes the source read the rows that were stated later in each statement, as it does if they
// are too many.
func (d *Database) KeepNoLaterRows() { d.mostLater = 0 }
