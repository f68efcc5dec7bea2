// Package bulk keeps the tables of published batches as files, so that callers can download them
// with any tool that resumes downloads. It knows neither ClickHouse nor HTTP.
package bulk
