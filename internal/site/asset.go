package site

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/url"
	"path"

	"cuota/internal/httpapi"
)

//go:embed assets
var assetFiles embed.FS

// assetPath is where style sheets, scripts and pictures are served.
const assetPath = "/static/"

// assetVersions are the hashes of the assets by name. They are part of the addresses, so that
// browsers may keep an asset for a year.
var assetVersions = hashAssets()

func hashAssets() map[string]string {
	entries, err := fs.ReadDir(assetFiles, "assets")
	if err != nil {
		panic(err) // the files are embedded
	}
	versions := map[string]string{}
	for _, entry := range entries {
		hash := sha256.Sum256(assetBody(entry.Name()))
		versions[entry.Name()] = hex.EncodeToString(hash[:8])
	}
	return versions
}

func assetBody(name string) []byte {
	body, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // the files are embedded
	}
	return body
}

// assetAddress returns the address of an asset. It panics if there is none, which a test of the
// templates would find.
func assetAddress(name string) string {
	version, there := assetVersions[name]
	if !there {
		panic("there is no asset " + name)
	}
	return assetPath + name + "?v=" + version
}

// Assets returns the operations that serve the assets.
func Assets() []httpapi.Operation {
	var list []httpapi.Operation
	for name, version := range assetVersions {
		body := assetBody(name)
		list = append(list, httpapi.NewWebPage(httpapi.WebPage{
			Path: assetPath + name, Type: mime.TypeByExtension(path.Ext(name)), Keys: []string{"v"},
			Answer: func(_ context.Context, c *httpapi.Call, texts url.Values) (httpapi.Answer, error) {
				c.Header.Set("Cache-Control", "no-cache") // the address names another version than this program has
				if texts.Get("v") == version {
					c.Header.Set("Cache-Control", "public, max-age=31536000, immutable")
				}
				c.Header.Set("Content-Security-Policy", "default-src 'none'")
				return httpapi.Answer{Version: version, Make: func(context.Context) (httpapi.Reply, error) {
					return httpapi.Reply{Body: body}, nil
				}}, nil
			},
		}))
	}
	return list
}
