// Package seal turns bytes into a text that a stranger may keep and give back,
// but neither read nor change: AES-256-GCM under a ring of keys, with an expiry
// and with associated data that both sides of the round trip must agree on.
//
// A seal is no proof of being new. Who must take one only once has to remember
// it by [ID].
package seal
