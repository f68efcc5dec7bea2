package account

import (
	"errors"
	"fmt"
	"net/mail"
	"strings"
)

// ErrInvalidEmail says that a text is not an e-mail address that this service accepts. The
// error that wraps it has the reason, and does not repeat the text.
var ErrInvalidEmail = errors.New("the e-mail address is not valid")

// The greatest lengths in bytes of an address and of its local part (RFC 5321, 4.5.3.1; the
// interface contract, section 4, has the same 254), and of a domain label (RFC 1035, 2.3.4).
const (
	maxEmailLen = 254
	maxLocalLen = 64
	maxLabelLen = 63
)

// normalizeEmail returns the form in which an address is stored and compared: trimmed and in
// lower case. It accepts only a plain local@domain.tld in printable ASCII. RFC 5322 would also
// allow display names, comments, quoted local parts, address literals and encoded words (=?…?=,
// which some mailers decode into another address). All of these are refused, so that an address
// can't change a mail header or an SMTP command.
//
// Addresses are ASCII only, because two different Unicode addresses may be the same in lower
// case (the Kelvin sign becomes k). Then a stranger could revoke the key of somebody else.
// International domains can be given in their xn-- form.
func normalizeEmail(email string) (string, error) {
	address := strings.TrimSpace(email)
	if len(address) > maxEmailLen {
		return "", fmt.Errorf("%w: longer than %d characters", ErrInvalidEmail, maxEmailLen)
	}
	for _, c := range []byte(address) {
		if c <= ' ' || c > '~' {
			return "", fmt.Errorf("%w: only printable ASCII characters without spaces are accepted; write an "+
				"international domain in its xn-- form", ErrInvalidEmail)
		}
	}
	address = strings.ToLower(address)
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Address != address || parsed.Name != "" || strings.Contains(address, "=?") {
		return "", fmt.Errorf("%w: write it as name@example.com", ErrInvalidEmail)
	}
	at := strings.LastIndexByte(address, '@')
	local, domain := address[:at], address[at+1:]
	if len(local) > maxLocalLen {
		return "", fmt.Errorf("%w: longer than %d characters before the @", ErrInvalidEmail, maxLocalLen)
	}
	if !isDomain(domain) {
		return "", fmt.Errorf("%w: the part after the @ is not a domain such as example.com", ErrInvalidEmail)
	}
	return address, nil
}

// CheckEmail returns an error that wraps ErrInvalidEmail if this service does not accept the
// address, else nil.
func CheckEmail(email string) error {
	_, err := normalizeEmail(email)
	return err
}

// isDomain reports whether domain has at least two labels of letters, digits and inner hyphens,
// and whether the last label is not a number.
func isDomain(domain string) bool {
	labels := strings.Split(domain, ".")
	if len(labels) < 2 {
		return false
	}
	for _, label := range labels {
		if label == "" || len(label) > maxLabelLen || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.ContainsFunc(label, func(r rune) bool { return r != '-' && !isAlphanumeric(r) }) {
			return false
		}
	}
	last := labels[len(labels)-1]
	return strings.Trim(last, "0123456789") != ""
}
