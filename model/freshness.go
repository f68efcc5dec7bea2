package model

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Objective says by when the next data of a dataset should be here: so many days after
// the end of each period.
type Objective struct {
	Period string // day, month or quarter; none: nothing is expected
	Days   uint32
}

// maxObjectiveDays bounds Objective.Days.
const maxObjectiveDays = 3660

// defaultObjectives are those of each dataset (docs/operations.md). The others are kept by
// hand, so nothing is expected of them. Values of days come every calendar day, and the
// dollar rate every banking day, so it may lack up to four days.
var defaultObjectives = map[Dataset]Objective{
	Cartola:           {"day", 4},
	AAFM:              {"day", 4},
	UF:                {"day", 1},
	Dolar:             {"day", 5},
	TACComparator:     {"month", 40},
	ReturnsComparator: {"month", 40},
	TACMonthly:        {"month", 40},
	Holdings:          {"month", 45},
	FIValues:          {"quarter", 75},
	Register:          {"quarter", 15},
	FIRegister:        {"quarter", 15},
}

// DefaultObjectives returns the default objective of every dataset.
func DefaultObjectives() map[Dataset]Objective {
	objectives := maps.Clone(defaultObjectives)
	for _, dataset := range Datasets {
		if _, there := objectives[dataset]; !there {
			objectives[dataset] = Objective{Period: "none"}
		}
	}
	return objectives
}

// ParseObjectives returns the objective of every dataset: the defaults, and instead of them
// what text says, as in "cartola=day+2,register=none".
func ParseObjectives(text string) (map[Dataset]Objective, error) {
	objectives := DefaultObjectives()
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		name, wanted, _ := strings.Cut(part, "=")
		dataset, err := ParseDataset(name)
		if err != nil {
			return nil, err
		}
		period, days, plus := strings.Cut(wanted, "+")
		number, err := strconv.ParseUint(days, 10, 32)
		switch {
		case wanted == "none":
			objectives[dataset] = Objective{Period: "none"}
		case !plus || err != nil || number > maxObjectiveDays ||
			!slices.Contains([]string{"day", "month", "quarter"}, period):
			return nil, fmt.Errorf("%q is not an objective: write day+N, month+N or quarter+N with N from 0 to %d "+
				"days, or none, as in cartola=day+4", part, maxObjectiveDays)
		default:
			objectives[dataset] = Objective{period, uint32(number)}
		}
	}
	return objectives, nil
}
