package query

import (
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"cuota/internal/httpapi"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/sql"

	"github.com/rs/zerolog"
)

// Operations returns everything that a server answers.
func Operations() []httpapi.Operation { return (&Server{}).operations() }

// ErrUnread is the error of a read that ClickHouse does not answer.
var ErrUnread error = &sql.ReadError{Statement: "test", Err: errors.New("no answer")}

// written is a reply that a function writes.
type written func(io.Writer) error

// Reply implements what httpapi.ReplyOf asks for.
func (w written) Reply() httpapi.Reply { return httpapi.Reply{Write: w} }

// Making returns a server with the operations of s and /making, whose replies a test makes, one
// for each value of the parameter n.
func (s *Server) Making(keys httpapi.Keys, log zerolog.Logger,
	make func(context.Context, io.Writer) error) (*httpapi.Server, error) {
	type params struct {
		N *int64 `query:"n" min:"0" max:"1000"`
	}
	making := operation.Endpoint[params, written]{Path: "/making",
		Find: func(ctx context.Context, _ *operation.Request[params]) (written, error) {
			return func(w io.Writer) error { return make(ctx, w) }, nil
		}}.Operation(s.host)
	making.Access = httpapi.Open
	return httpapi.New(s.config.HTTP, append(s.operations(), making), keys, log)
}

// IsTable reports whether a media type is one of the formats besides JSON.
func IsTable(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	return slices.Contains(operation.MediaTypes, media)
}

// ScreenerParams is the struct that declares the parameters of the screener.
var ScreenerParams = reflect.TypeFor[market.ScreenerParams]()

// FilesAhead begins the files of the current batch if it is time for them, and reports whether it did.
func (s *Server) FilesAhead() (begun bool) {
	_, begun = s.filesAhead(context.Background(), "")
	return begun
}
