package clickhouse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	// spoolMemoryBytes of a body are kept in memory, the rest in a file.
	spoolMemoryBytes = 8 << 20
	// maxBodyBytes bounds the data of one INSERT, after decompression.
	maxBodyBytes = 4 << 30
)

// spool holds the data of an INSERT that was received to its end. Data is
// given to the engine only then: a body that is cut off stores nothing,
// however many rows had come, and a slow sender occupies no session.
type spool struct {
	memory bytes.Buffer
	file   *os.File
	size   int64
}

// receive reads body to its end. Files are made in dir and have no name, so
// that none is left behind.
func receive(body io.Reader, dir string) (*spool, error) {
	s := &spool{}
	n, err := io.Copy(&s.memory, io.LimitReader(body, spoolMemoryBytes))
	s.size = n
	if err == nil && n == spoolMemoryBytes {
		err = s.receiveFile(body, dir)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *spool) receiveFile(body io.Reader, dir string) error {
	file, err := os.CreateTemp(dir, "insert-")
	if err != nil {
		return fmt.Errorf("keep the data of an INSERT: %w", err)
	}
	s.file = file
	if err := os.Remove(file.Name()); err != nil {
		return fmt.Errorf("keep the data of an INSERT: %w", err)
	}
	n, err := io.Copy(file, io.LimitReader(body, maxBodyBytes-spoolMemoryBytes+1))
	s.size += n
	if err != nil {
		return err
	}
	if s.size > maxBodyBytes {
		return newException(codeTooLarge, "The data of one INSERT may have %d bytes", int64(maxBodyBytes))
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read the data of an INSERT back: %w", err)
	}
	return nil
}

// each gives the data to take, piece by piece.
func (s *spool) each(take func([]byte) error) error {
	if err := take(s.memory.Bytes()); err != nil || s.file == nil {
		return err
	}
	buffer := make([]byte, 1<<20)
	for {
		n, err := s.file.Read(buffer)
		if n > 0 {
			if err := take(buffer[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the data of an INSERT back: %w", err)
		}
	}
}

func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close() // it has no name: closing removes it
	}
}
