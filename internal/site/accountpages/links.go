package accountpages

import "time"

// AddressLink is a link to one address of the API, on a key of the person.
type AddressLink struct {
	ID, Address string
	KeyLast4    string // the last characters of the key on which it is counted
	Made, Ends  time.Time
	Used        *time.Time // on the latest day on which it was followed; nil if it never was
}

// LinkKey is a key on which a link can be counted.
type LinkKey struct{ ID, Last4, Name string }

// LinkForm is the form that makes a link, as it was filled in.
type LinkForm struct {
	Address, Days, Key string
	Keys               []LinkKey
	Problem, Field     string // what is wrong with which field; "" if nothing is
}

// NewLink shows the form again, with what is wrong.
type NewLink struct{ Form LinkForm }

// Link shows a new link, for the only time.
type Link struct {
	Link, Address string
	Ends          time.Time
}

func (NewLink) template() string { return "link-form" }
func (Link) template() string    { return "link" }
