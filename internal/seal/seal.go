package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// Why a text was not opened. It is for the log of whoever sealed: a peer is told
// that the text was refused and nothing else, or it learns what to try next.
var (
	// ErrMalformed: no seal at all, cut short, or of another version.
	ErrMalformed = errors.New("no seal of this kind")
	// ErrUnknownKey: sealed under a key that is not in the ring, any more or yet.
	ErrUnknownKey = errors.New("sealed under a key that is not known here")
	// ErrForged: changed, or presented with other associated data.
	ErrForged = errors.New("changed, or moved to where it does not belong")
	// ErrExpired: genuine, and too old.
	ErrExpired = errors.New("expired")
)

// MinSecret is how many bytes a secret must have at least.
const MinSecret = 32

// The layout of a seal, before base64:
//
//	version (1) | key id (4) | nonce (12) | ciphertext | tag (16)
//
// The ciphertext hides the expiry (8, milliseconds since 1970) and the payload.
// Version, key id and associated data are authenticated with it.
const (
	version   = 1
	idSize    = 4
	headSize  = 1 + idSize
	nonceSize = 12
	tagSize   = 16
	timeSize  = 8
	// Overhead is what a seal has beyond its payload, in bytes before base64.
	Overhead = headSize + nonceSize + timeSize + tagSize
)

// encoding refuses bits that mean nothing, so that a seal has one spelling.
var encoding = base64.RawURLEncoding.Strict()

// Ring seals with its first key and opens with all of them, so that keys can be
// replaced: put a new one last everywhere, then first, then drop the old one
// once everything it sealed has expired. It is immutable and safe for concurrent
// use.
//
// A key should seal no more than 2^32 times, since nonces are random (NIST
// SP 800-38D, 8.3).
type Ring struct{ keys []key }

type key struct {
	id   [idSize]byte
	aead cipher.AEAD
}

// NewRing makes a ring of secrets of at least [MinSecret] bytes each. The keys
// are derived from them (HKDF, RFC 5869) for one purpose: what is sealed for one
// purpose does not open for another. Without secrets the ring has one random
// key, which ends with the process.
func NewRing(purpose string, secrets ...[]byte) (*Ring, error) {
	if len(secrets) == 0 {
		random := make([]byte, MinSecret)
		_, _ = rand.Read(random) // never fails
		secrets = [][]byte{random}
	}
	r := new(Ring)
	for i, secret := range secrets {
		k, err := derive(secret, purpose)
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", i, err)
		}
		if r.find(k.id[:]) != nil {
			return nil, fmt.Errorf("key %d: it is in the ring already", i)
		}
		r.keys = append(r.keys, k)
	}
	return r, nil
}

func derive(secret []byte, purpose string) (key, error) {
	if len(secret) < MinSecret {
		return key{}, fmt.Errorf("it has %d bytes; use at least %d random ones", len(secret), MinSecret)
	}
	const keySize = 32
	raw, err := hkdf.Key(sha256.New, secret, nil, "diglot seal: "+purpose, keySize+idSize)
	if err != nil {
		return key{}, err
	}
	block, err := aes.NewCipher(raw[:keySize])
	if err != nil {
		return key{}, err
	}
	k := key{id: [idSize]byte(raw[keySize:])}
	k.aead, err = cipher.NewGCM(block)
	return k, err
}

func (r *Ring) find(id []byte) *key {
	for i := range r.keys {
		if string(r.keys[i].id[:]) == string(id) {
			return &r.keys[i]
		}
	}
	return nil
}

// Seal hides payload until expires. bound is not in the text; the same bytes
// must be given to open it. Equal payloads give different texts, of letters,
// digits, - and _.
func (r *Ring) Seal(payload, bound []byte, expires time.Time) string {
	k := &r.keys[0]
	sealed := make([]byte, headSize+nonceSize, Overhead+len(payload))
	sealed[0] = version
	copy(sealed[1:], k.id[:])
	nonce := sealed[headSize:]
	_, _ = rand.Read(nonce) // never fails
	plain := make([]byte, timeSize, timeSize+len(payload))
	binary.BigEndian.PutUint64(plain, uint64(max(expires.UnixMilli(), 0)))
	plain = append(plain, payload...)
	sealed = k.aead.Seal(sealed, nonce, plain, associated(sealed[:headSize], bound))
	return encoding.EncodeToString(sealed)
}

// Open gives the payload of a text that Seal made with the same bound, until it
// expires. The error is one of this package's, and for the log alone.
func (r *Ring) Open(text string, bound []byte, now time.Time) ([]byte, error) {
	sealed, err := encoding.DecodeString(text)
	// The decoder passes over line breaks.
	if err != nil || len(sealed) < Overhead || sealed[0] != version || encoding.EncodedLen(len(sealed)) != len(text) {
		return nil, ErrMalformed
	}
	k, unknown := r.find(sealed[1:headSize]), false
	if k == nil {
		// The same work as for a forged one.
		k, unknown = &r.keys[0], true
	}
	plain, err := k.aead.Open(nil, sealed[headSize:headSize+nonceSize], sealed[headSize+nonceSize:], associated(sealed[:headSize], bound))
	switch {
	case unknown:
		return nil, ErrUnknownKey
	case err != nil:
		return nil, ErrForged
	case now.UnixMilli() >= int64(binary.BigEndian.Uint64(plain)):
		return nil, ErrExpired
	}
	return plain[timeSize:], nil
}

// associated is what is authenticated beside the payload. The head has a fixed
// size, so that the two cannot run into each other.
func associated(head, bound []byte) []byte {
	return append(append(make([]byte, 0, len(head)+len(bound)), head...), bound...)
}

// ID names a sealed text for whoever takes each one only once. It says nothing
// about its content.
func ID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return encoding.EncodeToString(sum[:])
}
