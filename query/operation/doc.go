// Package operation is what all endpoints of the API have in common: how an endpoint is declared, how a request
// chooses its batch, the parameters and formats that many endpoints take, and what every reply says of its batch.
//
// It stands above package batch and below the packages that declare endpoints. It knows no endpoint.
package operation
