// Package proc starts a program, talks to it over its standard streams, and
// ends it for certain: a child of its own process group, whose standard error
// is always read, and whose end is noticed at once and told with its last words.
//
// A [Process] owns two goroutines, three pipes and the child. All of them are
// gone when [Process.Stop] returns without an error.
package proc
