// Package mcp is the vocabulary of the Model Context Protocol: the values that
// clients and servers exchange, in the shape of the newest revision, and the
// names of the revisions themselves.
//
// One set of types serves all five revisions. A field that an older revision
// lacks is dropped or converted when a message leaves for a peer of that
// revision, and filled in when one arrives; none of the types here changes
// shape with the revision. Which field exists where is the business of the
// packages that speak to peers, not of their users.
//
// # Raw stays raw
//
// Members this package does not know are kept in the Extra field of the value
// they came with, and written again unchanged. Content of an unknown type
// becomes an [UnknownContent] that holds its bytes. Arguments, structured
// results and schemas are [encoding/json.RawMessage], so that numbers of any
// size survive.
//
// # JSON
//
// All types follow JSON strictly, whichever JSON package drives them: names
// are case-sensitive, a duplicate name is an error, nil slices of required
// lists are written as [].
//
// Everything here is plain data: there is no I/O and no goroutine, and a value
// is safe for concurrent reading.
package mcp
