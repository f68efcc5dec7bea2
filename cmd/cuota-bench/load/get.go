package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"cuota/client"
)

// Get requests a path with an API key and reads the answer to its end. address is host
// and port.
func Get(ctx context.Context, client *http.Client, address, path, key string) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("X-Api-Key", key)
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, errors.Join(err, response.Body.Close())
}

// FirstSeries returns the ids of a hundred series that are open at the cutoff, from the
// screener of the server at an address.
func FirstSeries(ctx context.Context, address, key string) (ids []uint32, err error) {
	api, err := client.New("http://"+address, client.WithKey(key))
	if err != nil {
		return nil, err
	}
	page, err := api.Screener(ctx, client.Screen{Sort: "id", Limit: 100, Fields: []string{"serieId"}})
	if err != nil {
		return nil, err
	}
	for _, row := range page.Series {
		id, err := strconv.ParseUint(row.ID, 10, 32)
		if err != nil {
			return nil, err
		}
		ids = append(ids, uint32(id))
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("the screener at %s has no series", address)
	}
	return ids, nil
}
