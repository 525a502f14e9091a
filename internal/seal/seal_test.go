package seal

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

var (
	old     = bytes.Repeat([]byte{1}, MinSecret)
	current = bytes.Repeat([]byte{2}, MinSecret)
	then    = time.Unix(1_800_000_000, 0)
)

func ring(tb testing.TB, secrets ...[]byte) *Ring {
	tb.Helper()
	r, err := NewRing("test", secrets...)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// TestOpen: what comes back is opened exactly when it is what was given, where
// it was given, in time, under a key that is still known (M-MRTR-011, M-MRTR-015,
// MRT-05, T-39).
func TestOpen(t *testing.T) {
	r := ring(t, current)
	text := r.Seal([]byte("payload"), []byte("bound"), then.Add(time.Minute))
	flip := func(i int) string {
		b := []byte(text)
		if b[i] == 'A' {
			b[i] = 'B'
		} else {
			b[i] = 'A'
		}
		return string(b)
	}
	tests := []struct {
		name  string
		ring  *Ring
		text  string
		bound string
		now   time.Time
		want  error
	}{
		{"untouched", r, text, "bound", then, nil},
		{"in its last millisecond", r, text, "bound", then.Add(time.Minute - time.Millisecond), nil},
		{"another process with the same key", ring(t, current), text, "bound", then, nil},
		{"sealed before the keys were rotated", ring(t, old, current), text, "bound", then, nil},
		{"expired", r, text, "bound", then.Add(time.Minute), ErrExpired},
		{"long expired", r, text, "bound", then.Add(1000 * time.Hour), ErrExpired},
		{"another binding", r, text, "Bound", then, ErrForged},
		{"no binding", r, text, "", then, ErrForged},
		{"a longer binding", r, text, "bound\x00", then, ErrForged},
		{"another version", r, flip(0), "bound", then, ErrMalformed},
		{"another key id", r, flip(3), "bound", then, ErrUnknownKey},
		{"nonce changed", r, flip(10), "bound", then, ErrForged},
		{"ciphertext changed", r, flip(30), "bound", then, ErrForged},
		{"tag changed", r, flip(len(text) - 2), "bound", then, ErrForged},
		{"a key that was dropped", ring(t, old), text, "bound", then, ErrUnknownKey},
		{"text added", r, text + "-TAMPERED", "bound", then, ErrMalformed},
		{"four characters short", r, text[:len(text)-4], "bound", then, ErrForged},
		{"tag cut off", r, text[:len(text)-22], "bound", then, ErrMalformed},
		{"empty", r, "", "bound", then, ErrMalformed},
		{"no base64", r, "!" + text[1:], "bound", then, ErrMalformed},
		{"padded", r, text + "==", "bound", then, ErrMalformed},
		{"a line break inside", r, text[:9] + "\n" + text[9:], "bound", then, ErrMalformed},
		{"huge", r, strings.Repeat("A", 10<<20), "bound", then, ErrMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.ring.Open(tt.text, []byte(tt.bound), tt.now)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error is %v, want %v", err, tt.want)
			}
			want := ""
			if tt.want == nil {
				want = "payload"
			}
			if string(got) != want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestOneSpelling: the unused bits of the last character are no other name of
// the same seal, or single use could be walked around.
func TestOneSpelling(t *testing.T) {
	r := ring(t, current)
	for n := range 3 {
		text := r.Seal(make([]byte, n), nil, then)
		for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
			other := text[:len(text)-1] + string(c)
			if _, err := r.Open(other, nil, then.Add(-1)); err == nil && other != text {
				t.Errorf("%q opens like %q", other, text)
			}
		}
	}
}

// TestRotation: the first key seals, all open.
func TestRotation(t *testing.T) {
	before, during, after := ring(t, old), ring(t, current, old), ring(t, current)
	text := during.Seal(nil, nil, then.Add(1))
	if _, err := before.Open(text, nil, then.Add(-1)); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("the old ring opens what the new key sealed: %v", err)
	}
	if _, err := after.Open(text, nil, then.Add(-1)); err != nil {
		t.Errorf("the new ring: %v", err)
	}
}

// TestPurposes: a secret used for two things makes two keys.
func TestPurposes(t *testing.T) {
	a := ring(t, current)
	b, err := NewRing("another", current)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Open(a.Seal(nil, nil, then), nil, then.Add(-1)); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("sealed for one purpose, opened for another: %v", err)
	}
}

// TestRandomKey: rings without secrets do not open each other's seals, and no
// two seals are alike.
func TestRandomKey(t *testing.T) {
	a, b := ring(t), ring(t)
	text := a.Seal([]byte("x"), nil, then)
	if _, err := a.Open(text, nil, then.Add(-1)); err != nil {
		t.Error(err)
	}
	if _, err := b.Open(text, nil, then.Add(-1)); err == nil {
		t.Error("another ring opened it")
	}
	if again := a.Seal([]byte("x"), nil, then); again == text || ID(again) == ID(text) {
		t.Error("two seals are alike")
	}
	for _, c := range []byte(text) {
		if !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", rune(c)) {
			t.Errorf("seal has %q", c)
		}
	}
}

func TestNewRingRefuses(t *testing.T) {
	for name, secrets := range map[string][][]byte{
		"key 1: it has 31 bytes; use at least 32 random ones": {current, old[:31]},
		"key 0: it has 0 bytes; use at least 32 random ones":  {nil},
		"key 2: it is in the ring already":                    {old, current, old},
	} {
		if _, err := NewRing("test", secrets...); err == nil || err.Error() != name {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

// FuzzOpen: nothing opens but what was sealed here.
func FuzzOpen(f *testing.F) {
	r := ring(f, current, old)
	good := r.Seal([]byte(`{"a":1}`), []byte("bound"), then)
	for _, seed := range []string{good, good[:20], good + "A", "", "AQ", ring(f, old).Seal(nil, []byte("bound"), then), ring(f).Seal(nil, nil, then)} {
		f.Add(seed, []byte("bound"))
	}
	f.Fuzz(func(t *testing.T, text string, bound []byte) {
		payload, err := r.Open(text, bound, then.Add(-time.Second))
		switch {
		case err == nil && string(bound) != "bound":
			t.Fatalf("%q opened under %q", text, bound)
		case err == nil && len(payload) > 0 && string(payload) != `{"a":1}`:
			t.Fatalf("opened to %q", payload)
		}
		if sealed := r.Seal([]byte(text), bound, then); len(sealed) != encoding.EncodedLen(Overhead+len(text)) {
			t.Fatalf("a seal has %d characters", len(sealed))
		} else if back, err := r.Open(sealed, bound, then.Add(-1)); err != nil || string(back) != text {
			t.Fatalf("round trip: %q, %v", back, err)
		}
	})
}

func BenchmarkSealOpen(b *testing.B) {
	r := ring(b, current)
	payload, bound := make([]byte, 512), make([]byte, 64)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Open(r.Seal(payload, bound, then), bound, then.Add(-1)); err != nil {
			b.Fatal(err)
		}
	}
}
