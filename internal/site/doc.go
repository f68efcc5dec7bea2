// Package site is the frame of all pages that people open in a browser, on which the pages of the market
// (site/marketpages), of the documentation (site/docspages) and of the account area (site/accountpages) stand: one
// layout with the navigation, one style sheet, one choice of the language, one page for an error, and the headers
// that protect a page.
//
// A page is rendered by the server and can be read without scripts. It has one language, Spanish unless the reader or
// the address prefers English (language.go). A package of pages has its templates in a folder of its own, which
// ParseTemplates combines with the layout, and asks Frame.Visit what a request for a page says.
package site
