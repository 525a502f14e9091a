// Package schema turns a Go type into JSON Schema, and JSON into a checked,
// coerced, defaulted value of that type.
package schema
