package notary

import (
	"bufio"
	"bytes"
	_ "embed" // for the driver
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// python is the driver by which one process of verify/proof.py checks many proofs.
//
//go:embed testdata/check_many.py
var python string

// question is a line for the driver.
type question struct {
	Proof []byte `json:"proof"`
	Kept  []byte `json:"kept"` // nil: none
	Key   string `json:"key"`  // "": none
}

// byPython returns what verify/proof.py finds wrong with each proof; "" if nothing is.
func byPython(t *testing.T, questions []question) (said []string) {
	t.Helper()
	program, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("there is no python3")
	}
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, each := range questions {
		must(t, encoder.Encode(each))
	}
	command := exec.CommandContext(t.Context(), program, "-I", "-c", python, "../../verify/proof.py")
	command.Stdin, command.Stderr = &in, os.Stderr
	out, err := command.Output()
	must(t, err)
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var wrong string
		must(t, json.Unmarshal(lines.Bytes(), &wrong))
		said = append(said, wrong)
	}
	if len(said) != len(questions) {
		t.Fatalf("python answered %d of %d questions", len(said), len(questions))
	}
	return said
}

// olderOf returns the checkpoint that a log had at a size.
func olderOf(t *testing.T, l *Log, size int) []byte {
	t.Helper()
	var lines [][]byte
	must(t, l.Each(func(at int64, line []byte) error {
		if at < int64(size) {
			lines = append(lines, bytes.Clone(line))
		}
		return nil
	}))
	text, err := Checkpoint{Origin: l.Head.Origin, Size: int64(size), Root: rootOf(lines)}.sign(l.signer)
	must(t, err)
	return text
}

func proofOf(t *testing.T, l *Log, batch int, older []byte) *Proof {
	t.Helper()
	made, err := l.Prove(leafNumber(t, batch).BatchID)
	must(t, err)
	if files := filesUpTo(batch); len(files) > 0 {
		must(t, made.WithFile(files[batch/2%len(files)].SHA256, files))
	}
	if older != nil {
		must(t, l.ProveSince(made, older))
	}
	return made
}

func textOf(t *testing.T, p *Proof) []byte {
	t.Helper()
	text, err := p.Encode()
	must(t, err)
	return text
}

func TestProofsOfAllLeavesHoldForAllKeptCheckpoints(t *testing.T) {
	var questions []question
	for _, size := range []int{1, 2, 3, 7, 8, 13} {
		_, l := logOf(t, size)
		for older := range size + 1 {
			kept := olderOf(t, l, older)
			for batch := 1; batch <= size; batch++ {
				text := textOf(t, proofOf(t, l, batch, kept))
				found, err := Check(text, kept, l.Key)
				if err != nil || found.Leaf.Number != uint64(batch) || found.Index != int64(batch-1) ||
					found.Checkpoint != l.Head {
					t.Fatalf("batch %d of %d, since %d: %+v (%v)", batch, size, older, found, err)
				}
				if (batch+older)%5 == 0 {
					questions = append(questions, question{text, kept, l.Key}, question{text, nil, ""})
				}
			}
		}
	}
	for i, wrong := range byPython(t, questions) {
		if wrong != "" {
			t.Errorf("python says of %s: %s", questions[i].Proof, wrong)
		}
	}
}

// changed makes one change at random: a bit, a byte that is gone, doubled or added.
func changed(random *rand.Rand, text []byte) []byte {
	at := random.IntN(len(text))
	switch random.IntN(4) {
	case 0:
		return slices.Delete(bytes.Clone(text), at, at+1)
	case 1:
		return slices.Insert(bytes.Clone(text), at, text[at])
	case 2:
		return slices.Insert(bytes.Clone(text), at, " \n0af+/=\"é"[random.IntN(11)])
	}
	out := bytes.Clone(text)
	out[at] ^= 1 << random.IntN(8)
	return out
}

// The parts of a proof are changed inside too, so that the form of the whole stays right.
func TestAThousandChangesAreAllRefused(t *testing.T) {
	_, l := logOf(t, 21)
	kept := olderOf(t, l, 13)
	random := rand.New(rand.NewPCG(2026, 82))
	var questions []question
	ask := func(p *Proof, kept []byte) {
		questions = append(questions, question{textOf(t, p), kept, l.Key})
	}
	fresh := func() *Proof { return proofOf(t, l, 1+random.IntN(21), kept) }
	text := func(of string) string { return strings.ToValidUTF8(string(changed(random, []byte(of))), "?") }
	hash := func(list []string) { // as a tile with another hash gives
		at := random.IntN(len(list))
		other, err := parseHash(list[at])
		must(t, err)
		other[random.IntN(len(other))] ^= 1 << random.IntN(8)
		list[at] = hexOf(other)
	}
	for len(questions) < 1000 {
		p := fresh()
		switch random.IntN(9) {
		case 0:
			questions = append(questions, question{changed(random, textOf(t, p)), kept, l.Key})
			continue
		case 1:
			p.Leaf = text(p.Leaf)
		case 2:
			p.Checkpoint = text(p.Checkpoint)
		case 3:
			p.Since.Checkpoint = text(p.Since.Checkpoint)
		case 4:
			hash(p.Path)
		case 5:
			hash(p.Since.Path)
		case 6:
			if p.File == nil || len(p.File.Path) == 0 {
				continue
			}
			hash(p.File.Path)
		case 7:
			p.Key = text(p.Key)
			questions = append(questions, question{textOf(t, p), kept, ""})
			continue
		case 8:
			other := changed(random, kept)
			ask(p, other)
			continue
		}
		ask(p, kept)
	}
	whys := map[string]bool{}
	for i, each := range questions {
		_, err := Check(each.Proof, each.Kept, each.Key)
		if err == nil {
			t.Fatalf("change %d is taken: %s", i, each.Proof)
		}
		whys[err.Error()] = true
	}
	if len(whys) < 20 {
		t.Errorf("only %d reasons are given", len(whys))
	}
	for i, wrong := range byPython(t, questions) {
		if wrong == "" {
			t.Fatalf("python takes change %d: %s", i, questions[i].Proof)
		}
	}
}

func TestAProofSaysWhichCheckpointItNeeds(t *testing.T) {
	_, l := logOf(t, 9)
	_, forked := logOf(t, 5)
	forked.signer, forked.verifier, forked.Key, forked.Head.Origin = l.signer, l.verifier, l.Key, l.Head.Origin
	must(t, forked.Append(leafNumber(t, 77)))
	must(t, forked.Append(leafNumber(t, 78)))
	older, same := olderOf(t, l, 4), textOf(t, proofOf(t, l, 3, nil))
	var questions []question
	var says []string
	for _, c := range []struct {
		question
		says string
	}{
		{question{same, nil, forked.Key + "x"}, "another key"},
		{question{same, older, l.Key}, "cuota prove --since"},
		{question{textOf(t, proofOf(t, l, 3, olderOf(t, l, 7))), forked.signed, l.Key}, "forked"},
		{question{textOf(t, proofOf(t, forked, 3, nil)), l.signed, l.Key}, "ask for a new proof"},
		{question{textOf(t, proofOf(t, forked, 3, nil)), olderOf(t, l, 7), l.Key}, "forked"},
	} {
		questions, says = append(questions, c.question), append(says, c.says)
		if _, err := Check(c.Proof, c.Kept, c.Key); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("the proof is checked with %v, want %q", err, c.says)
		}
	}
	for i, said := range byPython(t, questions) {
		if !strings.Contains(said, says[i]) {
			t.Errorf("python says %q, want %q", said, says[i])
		}
	}
	made, err := l.Prove(leafNumber(t, 2).BatchID)
	must(t, err)
	if err := l.ProveSince(made, forked.signed); err == nil || !strings.Contains(err.Error(), "forked") {
		t.Errorf("a proof since a checkpoint of a fork is made: %v", err)
	}
	if err := made.WithFile("no hash", filesUpTo(2)); err == nil || !strings.Contains(err.Error(), "has no file") {
		t.Errorf("a file that the batch lacks is proven: %v", err)
	}
	if err := made.WithFile(filesUpTo(2)[0].SHA256, filesUpTo(3)); err == nil {
		t.Error("a proof is made from other files than those of the leaf")
	}
}

func TestAMissingPathIsRefused(t *testing.T) {
	_, l := logOf(t, 1)
	p := proofOf(t, l, 1, nil)
	p.Path = nil
	alone := textOf(t, p)
	p = proofOf(t, l, 1, olderOf(t, l, 0))
	p.Since.Path = nil
	for _, text := range [][]byte{alone, textOf(t, p)} {
		if _, err := Check(text, nil, l.Key); err == nil || !strings.Contains(err.Error(), "path is missing") {
			t.Errorf("the path null is taken: %v", err)
		}
		if said := byPython(t, []question{{text, nil, l.Key}}); said[0] == "" {
			t.Error("python takes the path null")
		}
	}
}

// The signature with R and s zero fits every text of a key of order 1: no secret is needed.
func TestAKeyOfSmallOrderIsRefused(t *testing.T) {
	_, l := logOf(t, 1)
	top := "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
	zeros := strings.Repeat("0", 60)
	for _, y := range append([]string{"ed" + top + "7f", "ee" + top + "ff", "01" + zeros + "80", "00" + zeros + "80",
		"ec" + top + "ff"}, smallOrders...) {
		public, err := hex.DecodeString(y)
		must(t, err)
		key, err := note.NewEd25519VerifierKey(l.Head.Origin, public)
		must(t, err)
		verifier, err := note.NewVerifier(key)
		must(t, err)
		p := proofOf(t, l, 1, nil)
		p.Key = key
		signature := binary.BigEndian.AppendUint32(nil, verifier.KeyHash())
		signature = append(append(signature, 1), make([]byte, 63)...) // R is the point of order 1
		p.Checkpoint = fmt.Sprintf("%s\n\u2014 %s %s\n", l.Head.text(), l.Head.Origin,
			base64.StdEncoding.EncodeToString(signature))
		text := textOf(t, p)
		if _, err := Check(text, nil, ""); err == nil || !strings.Contains(err.Error(), "fit many texts") {
			t.Errorf("the key %s is taken: %v", y, err)
		}
		if said := byPython(t, []question{{text, nil, ""}}); !strings.Contains(said[0], "fit many texts") {
			t.Errorf("python says of the key %s: %q", y, said[0])
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"format": "cuota-proof-1"}`), []byte("log\n1\n"))
	f.Fuzz(func(t *testing.T, text, kept []byte) {
		if _, err := Check(text, kept, ""); err == nil {
			t.Errorf("a proof without a log is taken: %s", text)
		}
	})
}
