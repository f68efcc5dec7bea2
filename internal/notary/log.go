package notary

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"cuota/internal/durable"
)

// Tiles have 256 hashes, and bundles of entries 256 leaves (c2sp.org/tlog-tiles).
const (
	tileHeight = 8
	tileWidth  = 1 << tileHeight
	maxBundle  = tileWidth * (2 + maxLeaf) // bytes
)

// maxLeaves is more than an installation publishes: a batch every minute for 30 years.
const maxLeaves = 1 << 24

// ErrNoLog says that a directory holds no log.
var ErrNoLog = errors.New("there is no log")

// FaultError says that a log is not what was published. Its text says what to do. Nothing is appended to such a log.
type FaultError struct{ why error }

func (e FaultError) Error() string { return e.why.Error() }
func (e FaultError) Unwrap() error { return e.why }

func faultf(format string, values ...any) error { return FaultError{fmt.Errorf(format, values...)} }

// Log is the log of a directory: the folder tile, where a tile and a bundle of entries grow in place until they are
// full, the newest checkpoint, and the keys. What a file has beyond the size of the checkpoint was not published: a
// process ended while it appended, and the next append overwrites it.
type Log struct {
	Key  string // verifier key
	Head Checkpoint

	dir      string
	verifier note.Verifier
	signer   note.Signer // nil without the secret key
	hidden   bool        // there is a secret key, and this user may not read it
	signed   []byte      // the checkpoint
	tree     tree
	bundle   []byte // the last bundle of entries, unless it is full
	leaves   []Leaf // all but the last without their tables
	// replace replaces a file so that the replacement survives a power failure: durable.Replace, except in tests.
	replace func(path string, content []byte, mode fs.FileMode) error
}

// Open reads the log of a directory. It computes the root from the leaves and compares everything: the signature, the
// root and each tile. It fails with ErrNoLog if there is none, and with a FaultError if the log was cut or changed or
// is signed with another key.
func Open(dir string) (*Log, error) { return open(dir, durable.Replace) }

func open(dir string, replace func(string, []byte, fs.FileMode) error) (*Log, error) {
	l := &Log{dir: dir, replace: replace}
	if err := l.readKeys(); err != nil {
		return nil, l.inLog(err)
	}
	text, err := readBounded(l.path(checkpointName), maxCheckpoint)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(l.path("tile")); err == nil {
			return nil, l.inLog(faultf("the checkpoint is missing; put the directory back from a backup"))
		}
		return nil, ErrNoLog // a process ended while it made the log
	}
	if err != nil {
		return nil, l.inLog(err)
	}
	l.signed = text
	if l.Head, err = openCheckpoint(text, l.verifier); err != nil {
		return nil, l.inLog(faultf("%w; put the directory back from a backup", err))
	}
	if l.Head.Size > maxLeaves {
		return nil, l.inLog(fmt.Errorf("it has %d leaves, more than %d", l.Head.Size, maxLeaves))
	}
	if err := l.readLeaves(); err != nil {
		return nil, l.inLog(err)
	}
	return l, l.inLog(l.compareTiles())
}

// Last returns the public name of the batch of the last leaf; "" without leaves.
func (l *Log) Last() string { return l.last().BatchID }

// last is the zero value without leaves.
func (l *Log) last() Leaf {
	if len(l.leaves) == 0 {
		return Leaf{}
	}
	return l.leaves[len(l.leaves)-1]
}

// keep remembers a leaf that was read or appended.
func (l *Log) keep(leaf Leaf) {
	if before := len(l.leaves) - 1; before >= 0 {
		l.leaves[before].Tables = nil
	}
	l.leaves = append(l.leaves, leaf)
}

func (l *Log) inLog(err error) error {
	if err == nil || errors.Is(err, ErrNoLog) {
		return err
	}
	return fmt.Errorf("the log in %s: %w", l.dir, err)
}

// readLeaves reads every leaf and compares the root with the checkpoint.
func (l *Log) readLeaves() error {
	err := l.Each(func(_ int64, line []byte) error {
		leaf, err := parseLeaf(line)
		if err != nil {
			return faultf("leaf %d: %w; put the directory back from a backup", l.tree.size, err)
		}
		l.keep(leaf)
		if l.tree.size%tileWidth == 0 {
			l.bundle = nil
		}
		l.bundle = appendEntry(l.bundle, line)
		return l.tree.add(line)
	})
	if err != nil {
		return err
	}
	if l.tree.size%tileWidth == 0 {
		l.bundle = nil
	}
	root, err := l.tree.root()
	if err == nil && root != l.Head.Root {
		err = faultf("the leaves have another root than the checkpoint: leaves were changed; put the directory back from " +
			"a backup")
	}
	return err
}

// Each calls take with each leaf that the checkpoint covers, in order. take must not keep the line.
func (l *Log) Each(take func(index int64, line []byte) error) error {
	for at := int64(0); at < l.Head.Size; {
		path := l.path(filePath(tlog.Tile{H: tileHeight, L: -1, N: at / tileWidth, W: tileWidth}))
		content, err := readBounded(path, maxBundle)
		if errors.Is(err, fs.ErrNotExist) {
			return faultf("%s is missing, so the log was cut; put the directory back from a backup", path)
		}
		if err != nil {
			return err
		}
		for end := min(at+tileWidth-at%tileWidth, l.Head.Size); at < end; at++ {
			line, rest, whole := firstEntry(content)
			if !whole {
				return faultf("%s ends before leaf %d, so the log was cut; put the directory back from a backup", path, at)
			}
			if err := take(at, line); err != nil {
				return err
			}
			content = rest
		}
	}
	return nil
}

// compareTiles compares each tile with the leaves.
func (l *Log) compareTiles() error {
	for _, tile := range tlog.NewTiles(tileHeight, 0, l.tree.size) {
		want, err := tlog.ReadTileData(tile, &l.tree)
		if err != nil {
			return err
		}
		path := l.path(filePath(tile))
		found, err := readBounded(path, tileWidth*tlog.HashSize)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !bytes.HasPrefix(found, want) {
			return faultf("%s has other hashes than the leaves have; put the directory back from a backup", path)
		}
	}
	return nil
}

// filePath is the file of a tile or of a bundle of entries, whatever its width.
func filePath(t tlog.Tile) string {
	t.W = tileWidth
	path := t.Path() // tile/8/data/000
	if t.L == -1 {
		return strings.Replace(path, "tile/8/data/", "tile/entries/", 1)
	}
	return strings.Replace(path, "tile/8/", "tile/", 1)
}

func appendEntry(bundle, line []byte) []byte {
	return append(binary.BigEndian.AppendUint16(bundle, uint16(len(line))), line...)
}

// firstEntry cuts the first entry from a bundle. whole is false if the bundle ends before.
func firstEntry(bundle []byte) (line, rest []byte, whole bool) {
	if len(bundle) < 2 {
		return nil, nil, false
	}
	end := 2 + int(binary.BigEndian.Uint16(bundle))
	if len(bundle) < end {
		return nil, nil, false
	}
	return bundle[2:end], bundle[end:], true
}

// Copy calls add with the name of each file of the log of a directory that a copy must have, while another process may
// append: first with the checkpoint, and only after that it lists the files that have what the checkpoint covers. It
// calls add with none if there is no log, and fails before that if Open does. The secret key is none of the files.
func Copy(dir string, add func(name string) error) error {
	if dir == "" {
		return nil
	}
	if _, err := Open(dir); errors.Is(err, ErrNoLog) {
		return nil
	} else if err != nil {
		return err
	}
	for _, name := range []string{checkpointName, publicName} {
		if err := add(name); err != nil {
			return err
		}
	}
	return filepath.WalkDir(filepath.Join(dir, "tile"), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // no leaf yet, or a file that was being replaced
			return nil
		}
		if err != nil || entry.IsDir() || strings.HasSuffix(path, ".next") {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return add(name)
	})
}

// Create makes the empty log of a directory that has none, or ends the work of a process that ended while it made one.
func Create(dir string) (*Log, error) { return create(dir, durable.Replace) }

func create(dir string, replace func(string, []byte, fs.FileMode) error) (*Log, error) {
	l := &Log{dir: dir, replace: replace}
	err := makeFolder(dir)
	if err == nil {
		err = l.readKeys()
	}
	if errors.Is(err, ErrNoLog) || err == nil && l.signer == nil && !l.hidden { // a process ended between the two keys
		err = l.makeKeys()
	}
	if err == nil {
		err = l.mayAppend()
	}
	if err != nil {
		return nil, fmt.Errorf("make the log in %s: %w", dir, err)
	}
	l.Head = Checkpoint{Origin: l.verifier.Name()}
	if err := l.publish(tree{}); err != nil {
		return nil, fmt.Errorf("make the log in %s: %w", dir, err)
	}
	return l, nil
}

func (l *Log) makeKeys() error {
	secret, public, err := newKeys()
	if err == nil {
		err = l.replace(l.path(publicName), []byte(public+"\n"), 0o644)
	}
	if err == nil { // the second, because nothing can be signed without it
		err = l.replace(l.path(secretName), []byte(secret+"\n"), 0o600)
	}
	if err != nil {
		return err
	}
	return l.readKeys()
}

// makeFolder makes a folder and those above it, so that they survive a power failure.
func makeFolder(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	above := filepath.Dir(path)
	if err := makeFolder(above); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o750); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return durable.SyncFolder(above)
}

func (l *Log) mayAppend() error {
	switch {
	case l.hidden:
		return fmt.Errorf("this user may not read %s", l.path(secretName))
	case l.signer == nil:
		return faultf("the secret key is missing: if the newest published checkpoint has at most %d leaves, put your copy "+
			"of the key at %s, with mode 0600; else the key would sign a second history: move the directory away and "+
			"create the empty file %s, to begin a log of another name", l.Head.Size, l.path(secretName), l.path(beginName))
	}
	return nil
}

// grown returns the tree with one more leaf.
func (l *Log) grown(line []byte) (tree, tlog.Hash, error) {
	next := l.tree
	if err := next.add(line); err != nil {
		return tree{}, tlog.Hash{}, err
	}
	root, err := next.root()
	return next, root, err
}

// Append adds a leaf. The tiles are on the disk before the checkpoint that covers them. If it fails, the log is as
// before, or has the leaf: open it again to see.
func (l *Log) Append(leaf Leaf) error {
	if err := l.mayAppend(); err != nil {
		return l.inLog(err)
	}
	line, err := leaf.Encode()
	if err != nil {
		return err
	}
	next, _, err := l.grown(line)
	if err != nil {
		return l.inLog(err)
	}
	bundle := appendEntry(bytes.Clone(l.bundle), line)
	entries := tlog.Tile{H: tileHeight, L: -1, N: l.tree.size / tileWidth}
	if err := l.write(entries, bundle); err != nil {
		return l.inLog(err)
	}
	for _, tile := range tlog.NewTiles(tileHeight, l.tree.size, next.size) {
		data, err := tlog.ReadTileData(tile, &next)
		if err == nil {
			err = l.write(tile, data)
		}
		if err != nil {
			return l.inLog(err)
		}
	}
	if err := l.publish(next); err != nil {
		return l.inLog(err)
	}
	l.bundle = bundle
	if next.size%tileWidth == 0 {
		l.bundle = nil
	}
	l.keep(leaf)
	return nil
}

func (l *Log) write(tile tlog.Tile, content []byte) error {
	path := l.path(filePath(tile))
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	return l.replace(path, content, 0o644)
}

// publish signs a tree and writes its checkpoint.
func (l *Log) publish(next tree) error {
	root, err := next.root()
	if err != nil {
		return err
	}
	head := Checkpoint{Origin: l.Head.Origin, Size: next.size, Root: root}
	text, err := head.sign(l.signer)
	if err == nil {
		err = l.replace(l.path(checkpointName), text, 0o644)
	}
	if err != nil {
		return err
	}
	l.tree, l.Head, l.signed = next, head, text
	return nil
}
