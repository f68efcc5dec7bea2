package account

import (
	"errors"
	"fmt"
	"net/mail"
	"strings"
)

// ErrInvalidEmail says that a text is no e-mail address this service can use.
// The error that wraps it says why, without repeating the text.
var ErrInvalidEmail = errors.New("not a usable e-mail address")

// The longest address and local part (RFC 5321, 4.5.3.1; the interface contract,
// section 4, has the same 254) and the longest domain label (RFC 1035, 2.3.4), in bytes.
const (
	maxEmailLen = 254
	maxLocalLen = 64
	maxLabelLen = 63
)

// normalizeEmail gives the one form in which an address is stored and
// compared: trimmed and lower-case. It takes a plain local@domain.tld in
// printable ASCII and nothing more that RFC 5322 would allow: no display name,
// comment, quoted local part, address literal or encoded word (=?…?=, which
// some mailers decode into another address), so nothing that could reach into
// a mail header or command.
//
// ASCII only, because lower-casing Unicode makes one address of two (the
// Kelvin sign becomes k): a stranger's address would revoke somebody's key.
// International domains can be given in their xn-- form.
func normalizeEmail(email string) (string, error) {
	address := strings.TrimSpace(email)
	if len(address) > maxEmailLen {
		return "", fmt.Errorf("%w: longer than %d characters", ErrInvalidEmail, maxEmailLen)
	}
	for _, c := range []byte(address) {
		if c <= ' ' || c > '~' {
			return "", fmt.Errorf("%w: only printable ASCII characters without spaces are accepted (an international domain in its xn-- form)", ErrInvalidEmail)
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
		return "", fmt.Errorf("%w: what follows the @ is not a domain such as example.com", ErrInvalidEmail)
	}
	return address, nil
}

// CheckEmail gives ErrInvalidEmail for a text that is no address that this service can
// use.
func CheckEmail(email string) error {
	_, err := normalizeEmail(email)
	return err
}

// isDomain reports whether domain is two or more labels of letters, digits and
// inner hyphens, the last of them not a number.
func isDomain(domain string) bool {
	labels := strings.Split(domain, ".")
	if len(labels) < 2 {
		return false
	}
	for _, label := range labels {
		if label == "" || len(label) > maxLabelLen || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, c := range []byte(label) {
			if !isAlphanumeric(c) && c != '-' {
				return false
			}
		}
	}
	last := labels[len(labels)-1]
	return strings.Trim(last, "0123456789") != ""
}
