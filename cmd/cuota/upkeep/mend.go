package upkeep

import (
	"context"
	"errors"
	"fmt"

	"cuota/cmd/cuota/flow"
)

// Mend inspects the tables before anything is answered from them, and restores
// missing facts from the archive. The next batch computes damaged projections again. If
// the archive lacks a file, that is reported and is no error; nothing is answered from
// the damaged batch until the file is ingested again.
func Mend(ctx context.Context, p *flow.Projection, work Republishing, first bool) error {
	found, err := p.Projector.Inspect(ctx)
	if err != nil {
		return fmt.Errorf("inspect the tables: %w", err)
	}
	files := found.Files
	if len(found.Tables) > 0 {
		fmt.Fprintf(work.Out, "Stored rows are damaged: %s.\nThe API answers 503 until they are restored.\n", found)
	}
	if !first {
		// Files whose ingestion was interrupted, or whose events were lost with the
		// damaged log.
		incomplete, err := lastingIncomplete(ctx, p, work)
		if err != nil {
			return err
		}
		files = append(files, incomplete...)
	}
	if len(files) == 0 {
		return nil
	}
	fmt.Fprintf(work.Out, "Facts of %d files are missing: publishing them again from the archive.\n", len(files))
	if _, err := work.publish(ctx, files); err != nil && !errors.Is(err, errNotRestored) {
		return fmt.Errorf("restore files from the archive: %w", err)
	} else if err != nil {
		work.Log.Error().Err(err).Msg(
			"facts are still missing: ingest the original files again; the lines above name them")
	}
	return p.Stored(ctx)
}

// lastingIncomplete lists the files of the archive whose facts will not arrive any more,
// because their ingestion was interrupted or the log lost events.
func lastingIncomplete(ctx context.Context, p *flow.Projection, work Republishing) ([]string, error) {
	look := func() ([]string, error) {
		if err := p.Projector.Settle(ctx); err != nil {
			return nil, err
		}
		return work.incomplete(ctx, p.Conn)
	}
	files, err := look()
	if err != nil || len(files) == 0 {
		return nil, err
	}
	if err := p.Stored(ctx); err != nil {
		return nil, err
	}
	return look()
}
