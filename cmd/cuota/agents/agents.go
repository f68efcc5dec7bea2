// Package agents has what commands need for language models: the command cuota mcp, which serves tools to a program on
// this machine, and the flags with which up and query serve the same tools over HTTP.
package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cuota/client"
	"cuota/cmd/cuota/environment"
	"cuota/internal/agent"
)

// maxKeyFile bounds the file of a key, in bytes. A key has 55.
const maxKeyFile = 4 << 10

// Serving says whether tools are served over HTTP.
type Serving struct {
	On  bool
	SQL string // address of ClickHouse's HTTP interface for the tool sql; "": there is no such tool
}

// AddFlags adds the flags of a command that serves the API.
func (s *Serving) AddFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&s.On, "mcp", false, "serve tools for language models at "+agent.Path+", behind API keys")
	flags.StringVar(&s.SQL, "mcp-sql", "",
		"ClickHouse HTTP address for the tool sql of --mcp, which everybody with a key may then use")
}

// Check fails if the flags contradict each other.
func (s Serving) Check() error {
	_, err := s.Door()
	return err
}

// Door returns the door of the tool sql; nil if there is none.
func (s Serving) Door() (*agent.Door, error) {
	switch {
	case s.SQL == "":
		return nil, nil
	case !s.On:
		return nil, errors.New("--mcp-sql needs --mcp")
	}
	door, err := agent.NewDoor(s.SQL)
	if err != nil {
		return nil, fmt.Errorf("--mcp-sql: %w", err)
	}
	return door, nil
}

// New returns the command cuota mcp. It speaks on standard input and output, so it writes nothing else there.
func New(s environment.Settings, version string) *cobra.Command {
	var address, keyFile, sql string
	command := &cobra.Command{
		Use:   "mcp",
		Short: "Serve tools for a language model on this machine, over standard input and output",
		Long: "Serve tools for a language model (Model Context Protocol) over standard input and output. The tools\n" +
			"ask the API at --url. The key is that in --key-file, or in CUOTA_API_KEY. Programs start this command\n" +
			"by themselves: docs/agents.md has their configuration.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			key := s.APIKey
			if keyFile != "" {
				var err error
				if key, err = readKey(keyFile); err != nil {
					return fmt.Errorf("--key-file: %w", err)
				}
			}
			config := agent.Config{Version: version}
			if sql != "" {
				var err error
				if config.Door, err = agent.NewDoor(sql); err != nil {
					return fmt.Errorf("--sql: %w", err)
				}
			}
			options := []client.Option{client.WithUserAgent("cuota-mcp/" + version)}
			if key != "" {
				options = append(options, client.WithKey(key))
			}
			api, err := client.New(address, options...)
			if err != nil {
				return fmt.Errorf("--url: %w", err)
			}
			return serve(command.Context(), api, config, command.InOrStdin(), command.OutOrStdout())
		},
	}
	flags := command.Flags()
	flags.StringVar(&address, "url", "http://127.0.0.1:8080", "address of the API")
	flags.StringVar(&keyFile, "key-file", "", "file with the API key (default: the key in CUOTA_API_KEY)")
	flags.StringVar(&sql, "sql", "",
		"ClickHouse HTTP address for the tool sql, as in http://127.0.0.1:8123; none: there is no such tool")
	return command
}

// serve answers until the input ends or the command is interrupted. Neither is a failure.
func serve(ctx context.Context, api *client.Client, config agent.Config, in io.Reader, out io.Writer) error {
	defer api.CloseIdleConnections()
	err := agent.NewServer(api, config).Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// unclosed is a writer that others close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

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
