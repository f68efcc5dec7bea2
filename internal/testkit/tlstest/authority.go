// Package tlstest gives tests a certificate authority and a server certificate signed by it.
// Only tests import it.
package tlstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"
)

// Certified is a server's certificate and the authority that signed it.
type Certified struct {
	Server *tls.Config    // configuration of the server
	PEM    []byte         // certificate of the authority, for a file
	Roots  *x509.CertPool // certificate of the authority, for a client
}

// For makes a certificate for a server under a DNS name, or for 127.0.0.1 if the name is empty.
func For(t testing.TB, name string) *Certified {
	t.Helper()
	year := time.Now().AddDate(1, 0, 0)
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"}, NotAfter: year,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	signed, err := x509.CreateCertificate(rand.Reader, authority, authority, &authorityKey.PublicKey, authorityKey)
	must(t, err)
	certified := &Certified{
		PEM:   pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}),
		Roots: x509.NewCertPool(),
	}
	certified.Roots.AppendCertsFromPEM(certified.PEM)

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	own := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "server of a test"}, NotAfter: year,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if name == "" {
		own.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	} else {
		own.DNSNames = []string{name}
	}
	parent, err := x509.ParseCertificate(signed)
	must(t, err)
	leaf, err := x509.CreateCertificate(rand.Reader, own, parent, &key.PublicKey, authorityKey)
	must(t, err)
	certified.Server = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{leaf}, PrivateKey: key}}}
	return certified
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
