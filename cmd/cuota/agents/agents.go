// Package agents has what commands need for language models: the command cuota mcp, which serves tools to a program on
// this machine, and the flags with which up and query serve the same tools over HTTP.
package agents

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cuota/client"
	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/environment"
	"cuota/internal/agent"
)

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
	var service connect.Service
	var sql string
	command := &cobra.Command{
		Use:   "mcp",
		Short: "Serve tools for a language model on this machine, over standard input and output",
		Long: "Serve tools for a language model (Model Context Protocol) over standard input and output. The tools\n" +
			"ask the API at --url. The key is that in --key-file, or in CUOTA_API_KEY. Programs start this command\n" +
			"by themselves: docs/agents.md has their configuration.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			config := agent.Config{Version: version}
			if sql != "" {
				var err error
				if config.Door, err = agent.NewDoor(sql); err != nil {
					return fmt.Errorf("--sql: %w", err)
				}
			}
			api, err := service.Client(s, "cuota-mcp/"+version)
			if err != nil {
				return err
			}
			return serve(command.Context(), api, config, command.InOrStdin(), command.OutOrStdout())
		},
	}
	flags := command.Flags()
	service.AddFlags(flags)
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
