// Package origin says what a batch was made from: files, rows that were rejected, and days that are not complete.
// Pages show it.
//
// It stands on package operation.
package origin
