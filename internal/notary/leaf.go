// Package notary keeps an append-only log of the published batches, so that anybody who keeps a small signed text, a
// checkpoint, can later check that a batch or a file was published by then and was not replaced.
//
// The log is a Merkle tree (RFC 6962). Its files and its checkpoints have the formats of C2SP: tlog-tiles,
// tlog-checkpoint and signed-note. docs/decisions/0082-the-notary.md says what a leaf is, who writes it, and what is
// not proven.
package notary

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// Leaf is what the log says of a published batch. All of it follows from the files, from the rules and from the name of
// the batch, so two installations that published the same batch have the same leaf. The moment of publication is no
// part of it, because it is that of each installation.
type Leaf struct {
	AsOf    string            `json:"as_of"`    // cutoff, YYYY-MM-DD; "" while no day is complete
	BatchID string            `json:"batch_id"` // public name
	Files   Files             `json:"files"`    // all files of the batch, also those of earlier batches
	Number  uint64            `json:"number"`   // number of the plan, which is part of the name
	Rules   string            `json:"rules"`    // sha256 over the statements that computed the batch, hex
	Tables  map[string]string `json:"tables"`   // of each table that has rows: checksum over them, 16 hex digits
}

// Files stands for a list of files: a leaf has at most 65,535 bytes, and a batch may have more files than fit.
type Files struct {
	Count int64  `json:"count"`
	Root  string `json:"root"` // of the Merkle tree over their lines, in order, hex
}

// File is a file of a batch.
type File struct {
	Dataset string `ch:"dataset"`
	SHA256  string `ch:"sha256"` // hex
}

// line is the leaf of a file in the tree over the files of a batch.
func (f File) line() []byte { return []byte(f.Dataset + " " + f.SHA256) }

// ordered returns files in the order of their tree, each once.
func ordered(files []File) []File {
	sorted := slices.SortedFunc(slices.Values(files), func(a, b File) int {
		return cmp.Or(cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.SHA256, b.SHA256))
	})
	return slices.Compact(sorted)
}

// FilesOf returns what a leaf says of files, which may be in any order.
func FilesOf(files []File) (Files, error) {
	built, err := treeOf(ordered(files))
	if err != nil {
		return Files{}, err
	}
	root, err := built.root()
	return Files{Count: built.size, Root: hexOf(root)}, err
}

func treeOf(files []File) (tree, error) {
	var built tree
	for _, file := range files {
		if err := built.add(file.line()); err != nil {
			return tree{}, err
		}
	}
	return built, nil
}

// maxLeaf is the longest entry that tlog-tiles can hold, in bytes.
const maxLeaf = 1<<16 - 1

// Encode returns the one form of a leaf: JSON without spaces, its keys sorted.
func (l Leaf) Encode() ([]byte, error) {
	line, err := json.Marshal(l) // the fields above are in the order of their keys
	if err == nil && len(line) > maxLeaf {
		err = fmt.Errorf("it has %d bytes, and a leaf has at most %d", len(line), maxLeaf)
	}
	if err != nil {
		return nil, fmt.Errorf("write the leaf of batch %s: %w", l.BatchID, err)
	}
	return line, nil
}

// parseLeaf reads a leaf. It fails unless the leaf is as Encode writes it.
func parseLeaf(line []byte) (Leaf, error) {
	var leaf Leaf
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&leaf); err != nil {
		return Leaf{}, fmt.Errorf("the leaf is no JSON object of a batch: %w", err)
	}
	again, err := leaf.Encode()
	if err != nil {
		return Leaf{}, err
	}
	if !bytes.Equal(again, line) {
		return Leaf{}, errors.New("the leaf is not written in its one form: JSON without spaces, its keys sorted")
	}
	return leaf, nil
}

func hexOf(hash tlog.Hash) string { return hex.EncodeToString(hash[:]) }

// parseHash reads a hash that hexOf has written.
func parseHash(text string) (hash tlog.Hash, err error) {
	found, err := hex.DecodeString(text)
	if err != nil || len(found) != len(hash) || hex.EncodeToString(found) != text {
		return hash, fmt.Errorf("%.80q is no hash of 64 hex digits in lower case", text)
	}
	return tlog.Hash(found), nil
}

// tree is a Merkle tree (RFC 6962) whose hashes are in memory: 64 bytes for each leaf.
type tree struct {
	size   int64
	hashes []tlog.Hash // in the order of tlog.StoredHashIndex
}

// add appends a leaf.
func (t *tree) add(leaf []byte) error {
	hashes, err := tlog.StoredHashes(t.size, leaf, t)
	if err != nil {
		return err
	}
	t.hashes = append(t.hashes, hashes...)
	t.size++
	return nil
}

// ReadHashes implements tlog.HashReader.
func (t *tree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index < 0 || index >= int64(len(t.hashes)) {
			return nil, fmt.Errorf("the tree has no hash %d", index)
		}
		list[i] = t.hashes[index]
	}
	return list, nil
}

func (t *tree) root() (tlog.Hash, error) { return tlog.TreeHash(t.size, t) }
