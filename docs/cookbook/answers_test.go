package cookbook_test

import "testing"

func demoAnswers(t *testing.T, answers map[string]table)                          {}
func syntheticAnswers(t *testing.T, synthetic database, answers map[string]table) {}
