package chart

import _ "embed"

// Template is the template "drawing" of html/template: what stands inside the svg element of a
// Drawing. A page gives the element itself, with its name for screen readers, and the style of the
// classes: guide, axis, area, line, dot, mark and marked; and band, lead and name if its charts have gaps or names.
// The template "scatter" is that of a Scatter, whose element is as wide as its window and as high as Height. Its
// classes are guide and axis, and over for labels that stand over points.
//
//go:embed drawing.html
var Template string
