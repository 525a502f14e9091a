// Package arch holds the project's structure to account: its tests read the
// source and fail when a package imports what it must not, when an era shows
// above the wire, when a file or function outgrows its budget, when something
// exported has no comment, or when a documented requirement names no test.
package arch
