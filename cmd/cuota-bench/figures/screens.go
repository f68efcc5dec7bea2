package figures

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
	"cuota/query/market"
)

// screens is screens that are asked 200 in a request, against the same ones in a request each: ten rows with three
// attributes. The goal is 60,000 screens a second where single ones do 9,000, which is 6.7 times as many.
var screens = Figure{
	"screens", "200 screens in a request, against one in a request",
	measureScreens,
}

// screensOfRequest is how many screens a request has.
const screensOfRequest = 200

func measureScreens(ctx context.Context, b *bench) ([]stats.Line, error) {
	served, err := b.servedDemo(ctx)
	if err != nil {
		return nil, err
	}
	var paths, bodies []string
	var together []json.RawMessage
	for _, drawn := range load.DrawScreens(served.series, max(b.config.Queries, screensOfRequest)) {
		address, err := url.Parse(drawn)
		if err != nil {
			return nil, err
		}
		asked := address.Query()
		asked.Set("limit", "10")
		asked.Set("fields", "serie,tac,returns.periods.1y.value")
		paths = append(paths, load.ScreenerPath+"?"+asked.Encode())
		screen := map[string]string{}
		for name := range asked {
			screen[name] = asked.Get(name)
		}
		text, err := json.Marshal(screen)
		if err != nil {
			return nil, err
		}
		if together = append(together, text); len(together) < screensOfRequest {
			continue
		}
		body, err := json.Marshal(map[string]any{"screens": together})
		if err != nil {
			return nil, err
		}
		bodies, together = append(bodies, string(body)), nil
	}
	many := load.Side{Name: "200 in a request", Once: func(ctx context.Context) (stats.Reading, error) {
		r, err := served.sending(ctx, load.Order{Address: served.api, Paths: []string{market.ScreensPath},
			Bodies: bodies})
		r.Units *= screensOfRequest
		return r, err
	}}
	found, err := b.rounds.Interleave(ctx, many, served.side("one in a request", served.api, paths, 0))
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("screens, 10 rows with 3 attributes, %d in a request", screensOfRequest)
	const single = "GET /api/screener for each of the same screens"
	return []stats.Line{
		stats.Compare(name, found[0], found[1], stats.Reading.PerSecond, "screens/s", single),
		stats.Compare(name+", CPU of the server", found[0], found[1], stats.Reading.CPUMicros, "µs/screen", single),
	}, nil
}
