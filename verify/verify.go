// Package verify has the program that recomputes receipts from the files that they cite. It is in Python, and shares
// no code with this program, so that its answer does not depend on what it checks.
package verify

import _ "embed" // for Program

// Program is the text of receipt.py.
//
//go:embed receipt.py
var Program string
