package main

import "cuota/query"

// lateSeries lets the account area look up series in the API server, which is made after
// the account area. It keeps the two packages from importing each other.
type lateSeries struct{ *query.Server }
