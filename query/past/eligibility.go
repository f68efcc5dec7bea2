package past

import (
	"context"

	"cuota/internal/rowbinary"
	"cuota/model"
	"cuota/query/facts"
	"cuota/query/operation"
)

// eligibleFrom is for whom a series is from the day on which it was stated until the next one.
type eligibleFrom struct {
	from model.Date
	facts.Eligibility
}

// readEligibility reads for whom each series is, as it was stated.
func readEligibility(ctx context.Context, p operation.Pinned) (map[uint32][]eligibleFrom, int, error) {
	return readHistory(ctx, p, "eligibility_history", dayOfEligibility, func(line *rowbinary.Reader) eligibleFrom {
		flag := func() *bool {
			if line.Null() {
				return nil
			}
			return new(line.Bool())
		}
		return eligibleFrom{line.Date(), facts.Eligibility{APV: flag(), Digital: flag(), Qualified: flag()}}
	})
}

func dayOfEligibility(of *eligibleFrom) model.Date { return of.from }

// EligibilityBy returns for whom a series was, by what was stated up to a date.
func (of *Past) EligibilityBy(series uint32, date model.Date) facts.Eligibility {
	if stated := newestBy(of.eligible[series], date, dayOfEligibility); stated != nil {
		return stated.Eligibility
	}
	return facts.Eligibility{}
}
