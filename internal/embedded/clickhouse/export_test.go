package clickhouse

import (
	"maps"
	"slices"
)

// TableFunctions are the names of policy.go, in lower case.
func TableFunctions() []string { return slices.Sorted(maps.Keys(tableFunctions)) }

// TagSetting is the setting by which a session's statements are found.
const TagSetting = tagSetting
