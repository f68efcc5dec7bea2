package main

import (
	"context"
	"fmt"
	"path/filepath"

	"cuota/demo"
	"cuota/ingest"
)

// demoMarket returns the pipeline after it has stored the shipped market. The first call
// ingests the market.
func (b *bench) demoMarket(ctx context.Context) (*pipeline, error) {
	if b.demo != nil {
		return b.demo, nil
	}
	files := filepath.Join(b.dir, "demo-files")
	if err := demo.Extract(files); err != nil {
		return nil, err
	}
	sources, err := demo.Sources()
	if err != nil {
		return nil, err
	}
	market, err := b.pipeline(ctx, "demo")
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		_, err := market.load(ctx, ingest.Request{
			Dataset: source.Dataset, Path: filepath.Join(files, source.Path), Published: source.Published,
		})
		if err != nil {
			return nil, fmt.Errorf("load the demo market: %w", err)
		}
	}
	b.demo = market
	return market, nil
}
