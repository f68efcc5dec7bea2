// Package past has what every past date of a batch is answered from: the days of the batch, the histories of cost
// rates, risk and ratings, and the rows and windows of a day. Endpoints put their replies together from these.
//
// What does not depend on the date is one value, Past, which is read whole. What a date needs is read when the date is
// requested, and kept in the cache of the server.
package past
