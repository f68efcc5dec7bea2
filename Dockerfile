# The program for its three separate roles (ingest, project, query). These talk
# to servers, so the image holds no embedded engine: "cuota up" is not for it.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /cuota ./cmd/cuota

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates tzdata \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --create-home --home-dir /var/lib/cuota cuota
COPY --from=build /cuota /usr/local/bin/cuota
USER cuota
WORKDIR /var/lib/cuota
ENTRYPOINT ["cuota"]
