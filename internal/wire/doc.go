// Package wire turns bytes into the vocabulary of package mcp and back, for one
// revision at a time. It is the only place that knows what a revision lacks and
// how a value is converted for it; everything above speaks the newest shape.
//
// An [Era] is chosen once per exchange. There are two implementations, one for
// the stateless revision and one for the four that open with initialize.
//
// # Where the specification is silent
//
// Reading:
//   - A null in place of params, of _meta or of tools/call's arguments is as good
//     as absent. A progress token that is null is refused, like every other that
//     is neither a string nor an integer.
//   - A result without resultType is complete, from a modern server too. A
//     legacy server's resultType means nothing. Read results say complete.
//   - A list that is null is empty; one that is missing makes the result
//     invalid, but for the content of a tool's result.
//   - A ttlMs that is no integer of at least 0 is absent; 1e3 is 1000. A
//     cacheScope other than public is private.
//   - -32602 on a resource method is "not found" when its data names a uri.
//
// Writing:
//   - A resource link becomes the text "title: uri", its description on the next
//     line; sound becomes a resource with the URI audio://content/N, N being the
//     block's place.
//   - Structured content that a revision cannot carry is left as text, unless a
//     text block says the same JSON already.
//   - Several text blocks of a model's answer are joined with line breaks for
//     the revisions that take one block; other blocks cannot be joined.
//   - A revision without a code for a missing capability or a URL to open tells
//     it as a failed tool call, or as an internal error. The URL is not shown to
//     the model.
//   - Codes of the reserved range that a revision does not define become
//     internal errors.
//   - At most 100 completions are written; hasMore then says so.
package wire
