package account

// Tier is the class of a key. It sets the quota of keys that have no quota of their own. So a
// change of a tier's quota also applies to the tier's existing keys.
type Tier string

// The tiers, with their requests per Santiago day (the interface contract, section 1).
const (
	Free          Tier = "free"          // 300; the tier of a registration
	Institutional Tier = "institutional" // 25,000; by agreement
	Internal      Tier = "internal"      // no limit; not for third parties
)

func (t Tier) valid() bool {
	return t == Free || t == Institutional || t == Internal
}

// dailyQuota returns the requests per Santiago day, or nil if the tier has no limit. An unknown
// tier has a quota of 0.
func (t Tier) dailyQuota() *int64 {
	var quota int64
	switch t {
	case Free:
		quota = 300
	case Institutional:
		quota = 25_000
	case Internal:
		return nil
	}
	return &quota
}
