package load

import (
	"context"
	"errors"
	"io"
	"net/http"
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
