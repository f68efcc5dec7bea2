package facts

// Eligibility is for whom a series is, besides its investor class. A member is nil if no source states it.
type Eligibility struct {
	APV       *bool `ch:"apv"`       // for voluntary pension saving
	Digital   *bool `ch:"digital"`   // the regulator marks the series as digital
	Qualified *bool `ch:"qualified"` // the association has it in a category for qualified investors
}

// WithClass returns what sources state of a series with this investor class. A series of the class APV is for voluntary
// pension saving too, as cuota_apv of ClickHouse has it.
func (e Eligibility) WithClass(class *string) Eligibility {
	switch {
	case class == nil:
	case *class == "APV":
		e.APV = new(true)
	case e.APV == nil:
		e.APV = new(false)
	}
	return e
}
