package notary

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// proofFormat names the form of a proof. verify/proof.py reads it too.
const proofFormat = "cuota-proof-1"

// Proof says that a batch, or a file of a batch, is in the log that a checkpoint covers. Hashes are in hex; paths are
// those of RFC 6962, from the leaf up.
type Proof struct {
	Format     string     `json:"format"`
	Leaf       string     `json:"leaf"` // as the log has it
	Index      int64      `json:"index"`
	Path       []string   `json:"path"` // from the leaf to the root of the checkpoint
	File       *FileProof `json:"file,omitempty"`
	Since      *Since     `json:"since,omitempty"`
	Checkpoint string     `json:"checkpoint"`
	Key        string     `json:"key"` // verifier key of the log
}

// FileProof says that a file is one of those of the leaf.
type FileProof struct {
	Dataset string   `json:"dataset"`
	SHA256  string   `json:"sha256"`
	Index   int64    `json:"index"`
	Path    []string `json:"path"` // to the root of the files of the leaf
}

// Since says that the log only grew since an older checkpoint.
type Since struct {
	Checkpoint string   `json:"checkpoint"`
	Path       []string `json:"path"` // consistency proof of RFC 6962; empty if both have the same size, or the older is empty
}

// ErrNotInLog says that the log has no leaf of a batch.
var ErrNotInLog = errors.New("the log has no such batch")

// Prove makes a proof about a batch by its public name.
func (l *Log) Prove(batchID string) (*Proof, error) {
	index := int64(slices.IndexFunc(l.leaves, func(leaf Leaf) bool { return leaf.BatchID == batchID }))
	if index < 0 {
		return nil, fmt.Errorf("%w: %.80q", ErrNotInLog, batchID)
	}
	made := &Proof{Format: proofFormat, Index: index, Checkpoint: string(l.signed), Key: l.Key}
	path, err := tlog.ProveRecord(l.tree.size, index, &l.tree)
	if err != nil {
		return nil, l.inLog(err)
	}
	made.Path = hexOfAll(path)
	err = l.Each(func(at int64, line []byte) error {
		if at == index {
			made.Leaf = string(line)
		}
		return nil
	})
	return made, l.inLog(err)
}

// WithFile adds that a file is in the batch. files are those of the batch, in any order.
func (p *Proof) WithFile(hash string, files []File) error {
	leaf, err := parseLeaf([]byte(p.Leaf))
	if err != nil {
		return err
	}
	list := ordered(files)
	built, err := treeOf(list)
	if err != nil {
		return err
	}
	root, err := built.root()
	if err != nil {
		return err
	}
	if built.size != leaf.Files.Count || hexOf(root) != leaf.Files.Root {
		return fmt.Errorf("the tables name other files of batch %s than its leaf in the log: nothing can be proven about "+
			"its files", leaf.BatchID)
	}
	at := slices.IndexFunc(list, func(f File) bool { return f.SHA256 == hash })
	if at < 0 {
		return fmt.Errorf("batch %s has no file %.80q", leaf.BatchID, hash)
	}
	path, err := tlog.ProveRecord(built.size, int64(at), &built)
	if err != nil {
		return err
	}
	p.File = &FileProof{Dataset: list[at].Dataset, SHA256: hash, Index: int64(at), Path: hexOfAll(path)}
	return nil
}

// ProveSince adds that the log only grew since an older checkpoint of it.
func (l *Log) ProveSince(p *Proof, older []byte) error {
	old, err := openCheckpoint(older, l.verifier)
	if err != nil {
		return fmt.Errorf("the older checkpoint: %w", err)
	}
	if old.Size > l.tree.size {
		return fmt.Errorf("the older checkpoint has %d leaves and this log has %d: this log was cut, or it is not the one "+
			"that signed the checkpoint", old.Size, l.tree.size)
	}
	p.Since = &Since{Checkpoint: string(older), Path: []string{}}
	if old.Size == 0 {
		return nil
	}
	path, err := tlog.ProveTree(l.tree.size, old.Size, &l.tree)
	if err != nil {
		return l.inLog(err)
	}
	if err := tlog.CheckTree(path, l.tree.size, l.Head.Root, old.Size, old.Root); err != nil {
		return fmt.Errorf("the older checkpoint of %d leaves has another root than this log had then: the log was forked",
			old.Size)
	}
	p.Since.Path = hexOfAll(path)
	return nil
}

func hexOfAll(hashes []tlog.Hash) []string {
	list := make([]string, len(hashes)) // never nil, which JSON writes as null
	for i, hash := range hashes {
		list[i] = hexOf(hash)
	}
	return list
}

// Encode returns the one form of a proof.
func (p *Proof) Encode() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(p)
	return out.Bytes(), err
}

// Proven is what a proof shows.
type Proven struct {
	Leaf       Leaf
	Index      int64
	Checkpoint Checkpoint
	Key        string
	File       *FileProof // nil: the proof is about the batch alone
}

// MaxProof bounds a proof, in bytes: it has a leaf, two checkpoints and some hundred hashes.
const MaxProof = 1 << 20

// Check checks a proof, and returns what it shows. kept is a checkpoint that the caller has kept, nil without one;
// key is the verifier key that the caller trusts, "" without one. Without both, the proof is only checked against the
// key in it, which shows that nothing in it was changed. The error says what is wrong.
func Check(text, kept []byte, key string) (Proven, error) {
	p, err := parseProof(text)
	if err != nil {
		return Proven{}, err
	}
	if key != "" && key != p.Key {
		return Proven{}, fmt.Errorf("the proof is of a log with another key: %.200q", p.Key)
	}
	verifier, err := parseKey(p.Key)
	if err != nil {
		return Proven{}, err
	}
	head, err := openCheckpoint([]byte(p.Checkpoint), verifier)
	if err != nil {
		return Proven{}, err
	}
	leaf, err := parseLeaf([]byte(p.Leaf))
	if err != nil {
		return Proven{}, err
	}
	if err := checkIn([]byte(p.Leaf), p.Index, p.Path, head.Size, head.Root); err != nil {
		return Proven{}, fmt.Errorf("the leaf is not in the log of the checkpoint: %w", err)
	}
	if p.File != nil {
		if err := p.File.check(leaf.Files); err != nil {
			return Proven{}, err
		}
	}
	var since *Checkpoint
	if p.Since != nil {
		if since, err = p.Since.check(head, verifier); err != nil {
			return Proven{}, err
		}
	}
	if kept != nil {
		if err := checkKept(kept, head, since, verifier); err != nil {
			return Proven{}, err
		}
	}
	return Proven{Leaf: leaf, Index: p.Index, Checkpoint: head, Key: p.Key, File: p.File}, nil
}

func parseProof(text []byte) (*Proof, error) {
	if len(text) > MaxProof {
		return nil, fmt.Errorf("a proof has at most %d bytes", MaxProof)
	}
	p := &Proof{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(p); err != nil {
		return nil, fmt.Errorf("this is no proof: %w", err)
	}
	if p.Format != proofFormat {
		return nil, fmt.Errorf("the proof has the format %.80q, and this program reads %s", p.Format, proofFormat)
	}
	again, err := p.Encode()
	if err == nil && !bytes.Equal(again, text) {
		err = errors.New("the proof is not written as cuota prove writes it: its bytes were changed")
	}
	return p, err
}

// checkIn checks that a tree has a leaf.
func checkIn(leaf []byte, index int64, path []string, size int64, root tlog.Hash) error {
	hashes, err := parseHashes(path)
	if err != nil {
		return err
	}
	if index < 0 || index >= size {
		return fmt.Errorf("its index is %d, and the tree has %d leaves", index, size)
	}
	if err := tlog.CheckRecord(hashes, size, root, index, tlog.RecordHash(leaf)); err != nil {
		return errors.New("leaf, index and path give another root")
	}
	return nil
}

func parseHashes(texts []string) ([]tlog.Hash, error) {
	if texts == nil {
		return nil, errors.New("a path is missing")
	}
	list := make([]tlog.Hash, len(texts))
	for i, text := range texts {
		var err error
		if list[i], err = parseHash(text); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (f *FileProof) check(of Files) error {
	if _, err := parseHash(f.SHA256); err != nil {
		return fmt.Errorf("the file: %w", err)
	}
	root, err := parseHash(of.Root)
	if err == nil {
		err = checkIn(File{f.Dataset, f.SHA256}.line(), f.Index, f.Path, of.Count, root)
	}
	if err != nil {
		return fmt.Errorf("the file is not among those of the batch: %w", err)
	}
	return nil
}

// check checks that the log only grew since the older checkpoint, and returns that one. The root of a log without
// leaves is the hash of no bytes.
func (s *Since) check(head Checkpoint, key note.Verifier) (*Checkpoint, error) {
	old, err := openCheckpoint([]byte(s.Checkpoint), key)
	if err != nil {
		return nil, fmt.Errorf("the older checkpoint: %w", err)
	}
	path, err := parseHashes(s.Path)
	if err != nil {
		return nil, fmt.Errorf("the path from the older checkpoint: %w", err)
	}
	switch {
	case old.Size > head.Size:
		return nil, errors.New("the older checkpoint has more leaves than the checkpoint of the proof")
	case old.Size == 0 && len(path) == 0 && old.Root == sha256.Sum256(nil):
	case old.Size == 0 || tlog.CheckTree(path, head.Size, head.Root, old.Size, old.Root) != nil:
		return nil, errors.New("the log of the proof does not have the leaves of the older checkpoint, or the path " +
			"between them was changed")
	}
	return &old, nil
}

// checkKept compares a proof with a checkpoint that somebody has kept. since is the older checkpoint of the proof.
func checkKept(text []byte, head Checkpoint, since *Checkpoint, key note.Verifier) error {
	kept, err := openCheckpoint(text, key)
	switch {
	case err != nil:
		return fmt.Errorf("the checkpoint that was kept: %w", err)
	case kept.Size > head.Size:
		return fmt.Errorf("the checkpoint that was kept has %d leaves and that of the proof %d: ask for a new proof, which "+
			"has at least as many", kept.Size, head.Size)
	case kept.Size == head.Size && kept.Root == head.Root:
		return nil
	case kept.Size == head.Size:
		return fmt.Errorf("two checkpoints of %d leaves have different roots: the log was forked", kept.Size)
	case since == nil || since.Size != kept.Size:
		return fmt.Errorf("the checkpoint that was kept has %d leaves and that of the proof %d: ask for a proof that "+
			"connects them, with cuota prove --since", kept.Size, head.Size)
	case since.Root != kept.Root:
		return fmt.Errorf("two checkpoints of %d leaves have different roots: the log was forked", kept.Size)
	}
	return nil
}
