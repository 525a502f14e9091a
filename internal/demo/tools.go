package demo

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"time"

	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/server"
)

func declareTools(s *server.Service) {
	server.Tool(s, "echo", echo, server.Doc("answer with the text it was given"), server.ReadOnly(), server.Idempotent())
	server.Tool(s, "add", add, server.Doc("add two numbers"), server.ReadOnly(), server.Idempotent())
	server.Tool(s, "forecast", forecast, server.Doc("an invented weather forecast"), server.Title("Weather forecast"), server.ReadOnly())
	server.Tool(s, "countdown", countdown, server.Doc("count down, reporting progress"), server.ReadOnly())
	server.Tool(s, "swatch", swatch, server.Doc("a picture of one colour"), server.ReadOnly())
	server.Tool(s, "fail", fail, server.Doc("fail with the given reason, to see what a tool error looks like"))
}

// EchoIn are the arguments of echo.
type EchoIn struct {
	Text string `json:"text" doc:"what to say" mcp:"default=hello"`
}

func echo(_ context.Context, in EchoIn) (string, error) { return in.Text, nil }

// AddIn are the arguments of add.
type AddIn struct {
	A float64 `json:"a" doc:"first number"`
	B float64 `json:"b" doc:"second number"`
}

// Sum is the result of add.
type Sum struct {
	Sum float64 `json:"sum" doc:"a + b"`
}

func add(_ context.Context, in AddIn) (Sum, error) { return Sum{Sum: in.A + in.B}, nil }

// ForecastIn are the arguments of forecast. Region is mirrored into an HTTP
// header, so that a proxy could route by it.
type ForecastIn struct {
	City   string `json:"city" doc:"name of the city" mcp:"minlen=1,maxlen=80,example=Bern"`
	Region string `json:"region" doc:"where the data lives" mcp:"enum=eu|us|asia,default=eu,header=Region"`
	Days   int    `json:"days" doc:"how many days ahead" mcp:"default=3,min=1,max=7"`
}

// Day is one day of a forecast.
type Day struct {
	Date    string  `json:"date" doc:"ISO 8601 date"`
	Celsius float64 `json:"celsius" doc:"temperature at noon"`
	Sky     string  `json:"sky" doc:"sunny, cloudy or rain"`
}

// Forecast is the result of forecast.
type Forecast struct {
	City string `json:"city" doc:"the city asked for"`
	Days []Day  `json:"days" doc:"one entry a day"`
}

func forecast(_ context.Context, in ForecastIn) (Forecast, error) {
	skies := [...]string{"sunny", "cloudy", "rain"}
	out := Forecast{City: in.City}
	seed := len(in.City)
	for i := range in.Days {
		day := time.Now().AddDate(0, 0, i+1)
		out.Days = append(out.Days, Day{
			Date:    day.Format(time.DateOnly),
			Celsius: float64(10+(seed+i*7)%20) + 0.5,
			Sky:     skies[(seed+i)%len(skies)],
		})
	}
	return out, nil
}

// CountdownIn are the arguments of countdown.
type CountdownIn struct {
	From    int `json:"from" doc:"where to start" mcp:"default=3,min=1,max=100"`
	PauseMs int `json:"pauseMs" doc:"milliseconds between steps" mcp:"default=100,min=0,max=5000"`
}

func countdown(ctx context.Context, in CountdownIn) (string, error) {
	log := server.Log(ctx)
	tick := time.NewTimer(0)
	defer tick.Stop()
	for i := in.From; i > 0; i-- {
		tick.Reset(time.Duration(in.PauseMs) * time.Millisecond)
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-tick.C:
		}
		server.Progress(ctx, float64(in.From-i+1), float64(in.From), fmt.Sprintf("%d to go", i-1))
		log.Info("counting", "left", i-1)
	}
	return "lift-off", nil
}

// SwatchIn are the arguments of swatch.
type SwatchIn struct {
	Color string `json:"color" doc:"six hexadecimal digits" mcp:"pattern='^[0-9a-fA-F]{6}$',default=3366cc"`
}

func swatch(_ context.Context, in SwatchIn) ([]mcp.Content, error) {
	var c color.RGBA
	if _, err := fmt.Sscanf(in.Color, "%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		return nil, server.Refuse("color %q is not six hexadecimal digits", in.Color)
	}
	c.A = 255
	img := image.NewRGBA(image.Rect(0, 0, 32, 32))
	for i := range 32 * 32 {
		img.SetRGBA(i%32, i/32, c)
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return nil, err
	}
	return []mcp.Content{mcp.Text("#" + in.Color), mcp.Image(buf.Bytes(), "image/png")}, nil
}

// FailIn are the arguments of fail.
type FailIn struct {
	Reason string `json:"reason" doc:"what to fail with" mcp:"default=nothing works today"`
}

func fail(_ context.Context, in FailIn) (string, error) { return "", server.Refuse("%s", in.Reason) }
