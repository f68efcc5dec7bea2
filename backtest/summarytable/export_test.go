package summarytable

// A period of a test has many parts.
func init() { daysAtOnce = 12 }
