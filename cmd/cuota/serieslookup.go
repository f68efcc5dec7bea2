package main

import "cuota/query"

// seriesLookup lets the account area look up series in the API server, which is made after
// the account area. It keeps the two packages from importing each other.
type seriesLookup struct{ *query.Server }
