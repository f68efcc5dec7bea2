// Package facts has what replies say of a series, whichever endpoint gives them: its names and values on a day, its
// returns by window, its rating, its risk, and that it goes on under another name; and of how much of a group a figure
// is. It reads nothing.
package facts
