package operation

import (
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
)

// AsOfParams are the parameters of lists of series that also answer for a past date.
type AsOfParams struct {
	AsOf DateParam `query:"as_of_date" null:"false" doc:"The market as it was at this date, YYYY-MM-DD, from 1976-01-01 to today in Santiago: the series alive at the cutoff that had a quota then, with returns that end then and the families, classes, ratings and TAC that were stated by then. The answer is of that day if it has data, else of the latest complete day before it, which meta.as_of_date names. Absent: the cutoff. An extension of this service."`
}

// DatedAssetParams are the parameters of figures of a series that also answer for a past date.
type DatedAssetParams struct {
	AssetParams
	AsOf DateParam `query:"as_of_date" null:"false" doc:"The figures that were known at this date, YYYY-MM-DD, from 1976-01-01 to today in Santiago: those of the newest month that had ended by then. Absent: the newest of all. An extension of this service."`
}

// CheckDatedAsset refuses an as_of_date that can't be answered.
func CheckDatedAsset(today model.Date, params *DatedAssetParams) []httpapi.Violation {
	return CheckAsOf(today, params.AsOf)
}

// firstAsOf is the earliest as_of_date whose longest window still starts inside
// ClickHouse's type Date.
var firstAsOf = model.NewDate(1976, time.January, 1)

// CheckAsOf refuses an as_of_date in the future, and one before firstAsOf.
func CheckAsOf(today model.Date, asOf DateParam) []httpapi.Violation {
	refuse := func(kind, msg string) []httpapi.Violation {
		return []httpapi.Violation{{Loc: []string{"query", "as_of_date"}, Type: kind, Msg: msg, Input: asOf.String()}}
	}
	switch {
	case asOf.Given && asOf.Compare(today) > 0:
		return refuse("date_future", "Must not be after today in Santiago, "+today.String())
	case asOf.Given && asOf.Compare(firstAsOf) < 0:
		return refuse("date_too_early", "Must not be before "+firstAsOf.String())
	}
	return nil
}

// The first and the last day of ClickHouse's type Date.
var FirstDay, LastDayOfAll = model.NewDate(1970, time.January, 1), model.NewDate(2149, time.June, 6)

// Storable returns the day of ClickHouse's type Date that is nearest to a date.
func Storable(date model.Date) model.Date {
	switch {
	case date.Compare(FirstDay) < 0:
		return FirstDay
	case date.Compare(LastDayOfAll) > 0:
		return LastDayOfAll
	}
	return date
}
