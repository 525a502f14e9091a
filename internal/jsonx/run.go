package jsonx

import "math/bits"

// Strings are walked eight bytes at a time: each of these functions finds the
// next byte of some class by arithmetic on whole words. A borrow can mark a byte
// behind a marked one by mistake, never the first.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// text is what the walks work on.
type text interface{ ~string | ~[]byte }

// word8 is the eight bytes at i, the first lowest.
func word8[T text](b T, i int) uint64 {
	p := b[i : i+8]
	return uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 |
		uint64(p[4])<<32 | uint64(p[5])<<40 | uint64(p[6])<<48 | uint64(p[7])<<56
}

// plainRun is the position of the next byte at or after i that does not mean
// itself in a string or is not ASCII: a quote, a backslash, a control character,
// a byte from 0x80 up.
func plainRun[T text](b T, i int) int {
	for ; len(b)-i >= 8; i += 8 {
		w := word8(b, i)
		quote := w ^ (ones * '"')
		slash := w ^ (ones * '\\')
		if special := (w | (quote - ones) | (slash - ones) | (w - ones*0x20)) & highs; special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for i < len(b) && b[i] >= 0x20 && b[i] < 0x80 && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// checkedRun is the position of the next quote or backslash at or after i.
func checkedRun(b []byte, i int) int {
	for ; len(b)-i >= 8; i += 8 {
		w := word8(b, i)
		quote := w ^ (ones * '"')
		slash := w ^ (ones * '\\')
		if special := ((quote-ones)&^quote | (slash-ones)&^slash) & highs; special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// highRun is the position of the next ASCII byte at or after i.
func highRun[T text](b T, i int) int {
	for ; len(b)-i >= 8; i += 8 {
		if ascii := ^word8(b, i) & highs; ascii != 0 {
			return i + bits.TrailingZeros64(ascii)/8
		}
	}
	for i < len(b) && b[i] >= 0x80 {
		i++
	}
	return i
}
