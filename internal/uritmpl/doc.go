// Package uritmpl expands URI templates and finds out which template a URI
// comes from.
//
// Expansion is RFC 6570, all four levels. Matching is not in the RFC and cannot
// always be unique; these are the rules here.
//
//   - Literals match byte for byte, except that the hex digits of %XX may be of
//     either case and that characters beyond ASCII match their encoded form too.
//   - {var} matches one or more characters other than "/", "?" and "#", and, behind
//     a literal "?", other than "&". {+var} matches one or more characters of any kind.
//   - {/var}, {.var}, {;var}, {?var}, {&var} and {#var} may be missing altogether.
//     {/var} and {.var} match like {var}, possibly nothing; {#var} matches all that follows.
//   - Pairs of {?a,b}, {&a,b} and {;a,b} stand in any order. A pair that the
//     template does not name is no match, nor is one that stands there twice. {&c}
//     right behind {?a,b} joins it.
//   - Further variables of an expression, as in {x,y}, may be missing from the right.
//   - {var*} matches a list: several pairs of that name, or several segments in
//     {/var*}. {var:3} matches at most three characters.
//   - When a URI can be read in several ways, the one with the most optional
//     parts wins, then the one where the leftmost variable is longest, and so on
//     from left to right.
//   - A name that appears twice must have the same value both times; {var:3} agrees
//     with what begins like it.
//   - Values are percent-decoded once. They must be UTF-8, and neither they nor
//     literals match raw control characters. A longer URI than [MaxURI] matches nothing.
//
// A value of {var} never holds a slash that was a slash in the URI, but "a%2Fb"
// is one segment, whose value is "a/b". [Value.HidesSlash] and [Value.Climbs] are
// for those who make paths of values.
//
// Matching takes time proportional to the length of the URI times the number of
// the template's parts, whatever either holds.
package uritmpl
