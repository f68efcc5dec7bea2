package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/query"
	"cuota/sql"
)

// lookAgain is how often a waiting command looks at the tables.
const lookAgain = 200 * time.Millisecond

// awaitFiles returns the id of the published batch once it holds all the files.
func awaitFiles(ctx context.Context, conn driver.Conn, hashes []string) (batchID string, err error) {
	return await(ctx, "a published batch with the files", func() (string, bool, error) {
		return holdsFiles(ctx, conn, "", hashes)
	})
}

// awaitAnswered returns the id of the batch that the API at an address answers
// from, once that one holds all the files. The server loads a batch after it is
// published, so this comes later than awaitFiles.
func awaitAnswered(ctx context.Context, api string, conn driver.Conn, hashes []string) (batchID string, err error) {
	client := &http.Client{Timeout: answerPatience, Transport: &http.Transport{}} // the server is on this machine: no proxy
	defer client.CloseIdleConnections()
	return await(ctx, "the API to answer from a batch with the files", func() (string, bool, error) {
		id, err := answeredBatch(ctx, client, api)
		if err != nil || id == "" {
			return "", false, err
		}
		return holdsFiles(ctx, conn, id, hashes)
	})
}

// answeredBatch asks the API for the id of the batch that it answers from; "" while
// it does not say.
func answeredBatch(ctx context.Context, client *http.Client, api string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+api+"/health", nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	return response.Header.Get(query.BatchHeader), response.Body.Close()
}

// holdsFiles gives the id of a batch and whether it holds all the files; of the
// newest batch if the id is "".
func holdsFiles(ctx context.Context, conn driver.Conn, batchID string, hashes []string) (id string, all bool, err error) {
	// Hashes are hex digits, so that quoting them is enough.
	list := "['" + strings.Join(hashes, "','") + "']"
	ctx = clickhouse.Context(ctx, clickhouse.WithParameters(clickhouse.Parameters{"files": list, "batch_id": batchID}))
	var held uint64
	err = conn.QueryRow(ctx, sql.Query("files_held")).Scan(&held, &id)
	return id, err == nil && held == uint64(len(unique(hashes))), err
}

// awaitCommand returns the number of the batch that a command led to.
func awaitCommand(ctx context.Context, conn driver.Conn, command string) (batch uint64, err error) {
	return await(ctx, "the batch that was asked for", func() (uint64, bool, error) {
		ctx := clickhouse.Context(ctx, clickhouse.WithParameters(clickhouse.Parameters{"id": command}))
		rows, err := conn.Query(ctx, sql.Query("command_done"))
		if err != nil {
			return 0, false, err
		}
		defer func() { _ = rows.Close() }()
		done := false
		for rows.Next() {
			if err := rows.Scan(&batch); err != nil {
				return 0, false, err
			}
			done = true
		}
		return batch, done, rows.Err()
	})
}

func await[T any](ctx context.Context, what string, look func() (T, bool, error)) (T, error) {
	pause := time.NewTicker(lookAgain)
	defer pause.Stop()
	for {
		value, done, err := look()
		if err != nil {
			return value, fmt.Errorf("wait for %s: %w", what, err)
		}
		if done {
			return value, nil
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return value, fmt.Errorf("wait for %s: %w", what, ctx.Err())
		}
	}
}

func unique(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, item := range list {
		set[item] = true
	}
	return set
}
