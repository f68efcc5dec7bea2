package notary

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Checkpoint is a signed statement: the log of this name has this many leaves, and this root.
type Checkpoint struct {
	Origin string // name of the log, and of its key
	Size   int64  // leaves
	Root   tlog.Hash
}

// text is what is signed (c2sp.org/tlog-checkpoint), without extensions.
func (c Checkpoint) text() string { return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, c.Root) }

func (c Checkpoint) sign(signer note.Signer) ([]byte, error) {
	return note.Sign(&note.Note{Text: c.text()}, signer)
}

// maxCheckpoint is more than a checkpoint has with 100 signatures, in bytes.
const maxCheckpoint = 64 << 10

// openCheckpoint reads a checkpoint and checks its signature. It may have signatures of others too. It fails unless
// every part is written in its one form, so that a changed byte is never taken.
func openCheckpoint(text []byte, key note.Verifier) (Checkpoint, error) {
	if len(text) > maxCheckpoint {
		return Checkpoint{}, fmt.Errorf("the checkpoint has %d bytes, more than %d", len(text), maxCheckpoint)
	}
	opened, err := note.Open(text, note.VerifierList(key))
	switch {
	case errors.As(err, new(*note.InvalidSignatureError)):
		return Checkpoint{}, fmt.Errorf("the signature of the checkpoint is wrong: its text was changed, or another key "+
			"than %s signed it", nameOf(key))
	case errors.As(err, new(*note.UnverifiedNoteError)):
		return Checkpoint{}, fmt.Errorf("the checkpoint is not signed with the key %s", nameOf(key))
	case err != nil:
		return Checkpoint{}, fmt.Errorf("the checkpoint is no signed note: %w", err)
	}
	_, signatures, _ := bytes.Cut(text, []byte("\n\n"))
	for line := range strings.Lines(string(signatures)) {
		written := strings.TrimSuffix(line[strings.LastIndexByte(line, ' ')+1:], "\n")
		if !inOneForm(written) {
			return Checkpoint{}, errors.New("a signature of the checkpoint is not written in the one form of base64")
		}
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 {
		return Checkpoint{}, fmt.Errorf("the text of the checkpoint has %d lines, and one of this log has 3", len(lines)-1)
	}
	found := Checkpoint{Origin: lines[0]}
	var sizeErr, rootErr error
	found.Size, sizeErr = strconv.ParseInt(lines[1], 10, 64)
	found.Root, rootErr = tlog.ParseHash(lines[2])
	if sizeErr != nil || rootErr != nil || found.Size < 0 || found.text() != opened.Text || found.Origin != key.Name() {
		return Checkpoint{}, errors.New("the text of the checkpoint is not the name of its key, a size and a root")
	}
	return found, nil
}

// inOneForm reports whether a text is base64 as an encoder writes it. A decoder takes other texts for the same bytes.
func inOneForm(text string) bool {
	data, err := base64.StdEncoding.DecodeString(text)
	return err == nil && base64.StdEncoding.EncodeToString(data) == text
}

// nameOf names a key as people compare it.
func nameOf(key note.Verifier) string { return fmt.Sprintf("%s+%08x", key.Name(), key.KeyHash()) }

// parseKey reads a verifier key (c2sp.org/signed-note), and fails unless it is in its one form.
func parseKey(text string) (note.Verifier, error) {
	key, err := note.NewVerifier(text)
	if err != nil {
		return nil, fmt.Errorf("%.200q is no key of a log, such as /log/key has: %w", text, err)
	}
	encoded, named := strings.CutPrefix(text, nameOf(key)+"+")
	if !named || !inOneForm(encoded) {
		return nil, fmt.Errorf("%.200q is not written in the one form of a key", text)
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err == nil && weak([32]byte(data[1:])) { // after a byte for Ed25519
		err = fmt.Errorf("%.200q is no key of a log: signatures of such a key fit many texts", text)
	}
	return key, err
}

// weak reports whether a point of Ed25519 has a small order, so that a signature can be made without a secret key, or
// has a y that is not below 2^255-19, so that it has two forms.
func weak(public [32]byte) bool {
	public[31] &= 0x7f // the sign of x
	high := public[0] >= 0xed && public[31] == 0x7f &&
		!slices.ContainsFunc(public[1:31], func(b byte) bool { return b != 0xff })
	return high || slices.Contains(smallOrders, hex.EncodeToString(public[:]))
}

// smallOrders are the y of the eight points whose order divides 8, in hex.
var smallOrders = []string{
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0100000000000000000000000000000000000000000000000000000000000000",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
}

// newKeys makes the two keys of a new log, whose name is random: no two logs have the same.
func newKeys() (secret, public string, err error) {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // it never fails
	return note.GenerateKey(rand.Reader, "cuota-log-"+hex.EncodeToString(random))
}
