package receipt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Peers are the series among which a receipt tells the place of one. They may be thousands, so their list has an
// address of its own, and a receipt has its hash.
type Peers struct {
	Address string    `json:"address"` // of the list
	Own     string    `json:"own"`     // id of the subject in the list, which is that of its newest name
	Fields  []string  `json:"fields"`  // which values the list has of each series
	Series  int       `json:"series"`  // number of series in the list, the subject among them
	SHA256  string    `json:"sha256"`  // of the list: of each series a line with its id and its values, with spaces between
	LeftOut []LeftOut `json:"left_out"`
	// What the peers have in common, in words of the parameters: the currency and, if one was asked for, the family.
	Currency *string `json:"currency"`
	Family   *string `json:"family"`

	List []Peer `json:"-"`
}

// LeftOut is how many series are not in a list for a reason.
type LeftOut struct {
	Reason string `json:"reason"`
	Series int    `json:"series"`
}

// Peer is a series of a list.
type Peer struct {
	Series   string   `json:"series"` // id
	RUN      string   `json:"run"`    // of the fund, with check digit
	Serie    string   `json:"serie"`
	Values   []string `json:"values"`   // decimal texts, in the order of Fields
	Receipts []string `json:"receipts"` // addresses of the receipts of the values
}

// List is the list of the peers of a receipt.
type List struct {
	Fields []string `json:"fields"`
	Peers  []Peer   `json:"peers"` // in the order of the rule
}

// SetList gives the receipt of a place its list.
func (p *Peers) SetList(list []Peer) {
	hash := sha256.New()
	for _, peer := range list {
		_, _ = io.WriteString(hash, peer.Series+" "+strings.Join(peer.Values, " ")+"\n") // a hash never fails
	}
	p.List, p.Series, p.SHA256 = list, len(list), hex.EncodeToString(hash.Sum(nil))
}

// Place is the place of a value of the subject among those of all peers, the greatest first. Of equal values that of
// the smaller id comes first.
func Place(field string, of Formula) Formula {
	return Formula{Op: "place", Field: field, Of: []Formula{of}}
}

// MidRank is how many peers have a smaller value than the subject, and half of how many have the same, the subject
// among them.
func MidRank(field string, of Formula) Formula {
	return Formula{Op: "midrank", Field: field, Of: []Formula{of}}
}

// compared compares a value of the subject with those of its peers. The list has the value as it is stored; it is found
// from lines, so it may differ by the tolerance.
func (p *Peers) compared(field string, found float64) (place int, midRank float64, err error) {
	column := -1
	for i := range p.Fields {
		if p.Fields[i] == field {
			column = i
		}
	}
	if column < 0 {
		return 0, 0, fmt.Errorf("the peers have no %s", field)
	}
	values, ids, own := make([]float64, len(p.List)), make([]uint64, len(p.List)), -1
	for i, peer := range p.List {
		if values[i], err = strconv.ParseFloat(peer.Values[column], 64); err != nil {
			return 0, 0, err
		}
		if ids[i], err = strconv.ParseUint(peer.Series, 10, 32); err != nil {
			return 0, 0, err
		}
		if peer.Series == p.Own {
			own = i
		}
	}
	if own < 0 {
		return 0, 0, fmt.Errorf("the series %s is none of its peers", p.Own)
	}
	value := values[own]
	if !near(found, value) {
		return 0, 0, fmt.Errorf("the %s of the series %s comes to %v, and its peers are compared with %v", field, p.Own,
			found, value)
	}
	place = 1
	for i, other := range values {
		switch {
		case other > value:
			place++
		case other < value:
			midRank++
		default:
			midRank += 0.5
			if ids[i] < ids[own] {
				place++
			}
		}
	}
	return place, midRank, nil
}

// near reports whether a number that was computed from lines is the one that was stored; false of no number.
func near(found, stored float64) bool {
	return math.Abs(found-stored) <= tolerance*max(1, math.Abs(stored))
}
