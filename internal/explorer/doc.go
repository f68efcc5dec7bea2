// Package explorer serves the pages on which people see the market: funds, series, families,
// managers, and where each number comes from.
//
// It stands beside the API and computes no rule: each page shows the values that operations of the packages of query
// find, from which the API makes its replies. A page is rendered by the server and can be read without
// scripts. It has one language, Spanish unless the reader prefers English. Its address holds all
// that it depends on besides the published batch and the language, so it can be shared, and a
// reply is cached until the next batch.
//
// A page is one value of type page in a file of its own: its path, the parameters that it reads,
// and a function that gives the data of its template in the folder templates.
package explorer
