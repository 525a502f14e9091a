// Package wire turns bytes into the vocabulary of package mcp and back, for one
// revision at a time. It is the only place that knows what a revision lacks and
// how a value is converted for it; everything above speaks the newest shape.
//
// An [Era] is chosen once per exchange. There are two implementations, one for
// the stateless revision and one for the four that open with initialize.
package wire
