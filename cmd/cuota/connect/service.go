package connect

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"cuota/client"
	"cuota/cmd/cuota/environment"
)

// maxKeyFile bounds the file of a key, in bytes. A key has 55.
const maxKeyFile = 4 << 10

// Service is where a command finds the API if it asks over HTTP as any other client does, and with which key.
type Service struct {
	address, keyFile string
}

// AddFlags adds the flags of a command that asks the API.
func (s *Service) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&s.address, "url", "http://127.0.0.1:8080", "address of the API")
	flags.StringVar(&s.keyFile, "key-file", "", "file with the API key (default: the key in CUOTA_API_KEY)")
}

// Client returns a client of the API for the command of this name, such as cuota-mcp/0.1.0. It opens no connection. No
// error repeats the key.
func (s *Service) Client(settings environment.Settings, name string) (*client.Client, error) {
	key := settings.APIKey
	if s.keyFile != "" {
		var err error
		if key, err = readKey(s.keyFile); err != nil {
			return nil, fmt.Errorf("--key-file: %w", err)
		}
	}
	options := []client.Option{client.WithUserAgent(name)}
	if key != "" {
		options = append(options, client.WithKey(key))
	}
	api, err := client.New(s.address, options...)
	if err != nil {
		return nil, fmt.Errorf("--url: %w", err)
	}
	return api, nil
}

// readKey reads the key in a file. No error repeats what is in it.
func readKey(name string) (key string, err error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { err = cmp.Or(err, file.Close()) }()
	text, err := io.ReadAll(io.LimitReader(file, maxKeyFile+1))
	if err != nil {
		return "", err
	}
	key = strings.TrimSpace(string(text))
	if key == "" || len(text) > maxKeyFile || strings.ContainsAny(key, "\r\n") {
		return "", fmt.Errorf("%s must have one line, the key", name)
	}
	return key, nil
}
