package main

import (
	"context"
	"time"
)

// How long things may take to end. Requests under way have a time of their own,
// because how long they take is for clients to say, who may take a minute over a
// reply. A component gets longer than a mail under way is given (5 s).
const (
	answerPatience = 10 * time.Second
	stopPatience   = 8 * time.Second
)

// ended stops one component. It has its own time, although the command was
// interrupted and whatever the components that were stopped before it have taken:
// what it uses is closed next.
func ended(ctx context.Context, patience time.Duration, stop func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return stop(ctx)
}
