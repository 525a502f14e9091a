package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/png"

	"github.com/diglot-mcp/diglot/server"
)

// media is a picture and a sound, as small as they come.
type media struct{ png, wav []byte }

func newMedia() (*media, error) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 1, 1))); err != nil {
		return nil, err
	}
	return &media{png: picture.Bytes(), wav: silence()}, nil
}

// silence is a WAV file without samples: 8 kHz, mono, 16 bits.
func silence() []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt ")
	b = binary.LittleEndian.AppendUint32(b, 16)   // size of the format chunk
	b = binary.LittleEndian.AppendUint16(b, 1)    // PCM
	b = binary.LittleEndian.AppendUint16(b, 1)    // channels
	b = binary.LittleEndian.AppendUint32(b, 8000) // frames per second
	b = binary.LittleEndian.AppendUint32(b, 16000)
	b = binary.LittleEndian.AppendUint16(b, 2)  // bytes per frame
	b = binary.LittleEndian.AppendUint16(b, 16) // bits per sample
	b = append(b, "data\x00\x00\x00\x00"...)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

type templated struct {
	ID string `json:"id" doc:"whose data"`
}

// templateData is what test://template/{id}/data holds.
type templateData struct {
	ID           string `json:"id"`
	TemplateTest bool   `json:"templateTest"`
	Data         string `json:"data"`
}

// declareResources declares the static text first: the suite reads the first
// resource of the list.
func declareResources(s *server.Service, m *media) {
	server.Resource(s, "test://static-text", func(context.Context, none) (string, error) {
		return "This is the content of the static text resource.", nil
	}, server.Name("Static text"), server.Doc("a text that never changes"), server.MIME("text/plain"))
	server.Resource(s, "test://static-binary", func(context.Context, none) ([]byte, error) {
		return m.png, nil
	}, server.Name("Static binary"), server.Doc("a picture that never changes"), server.MIME("image/png"))
	server.Resource(s, "test://watched-resource", func(context.Context, none) (string, error) {
		return "Watched resource content", nil
	}, server.Name("Watched resource"), server.Doc("a resource to subscribe to"), server.MIME("text/plain"))
	server.Resource(s, "test://template/{id}/data", func(_ context.Context, in templated) (templateData, error) {
		return templateData{ID: in.ID, TemplateTest: true, Data: "Data for ID: " + in.ID}, nil
	}, server.Name("Template data"), server.Doc("data of one id"), server.MIME("application/json"))
}
