package server

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/diglot-mcp/diglot/internal/jsonrpc"
	"github.com/diglot-mcp/diglot/mcp"
)

// unpaced lets a benchmark change something again at once.
func unpaced(srv *Server) {
	srv.bus.mu.Lock()
	defer srv.bus.mu.Unlock()
	for _, s := range srv.bus.all {
		s.hurry()
	}
}

// BenchmarkPublish is the one pass over a thousand who listen, none of whom reads:
// what a change costs whoever makes it.
func BenchmarkPublish(b *testing.B) {
	for _, c := range []struct {
		name   string
		change change
	}{{"a list", change{lists: toolList}}, {"a resource", change{uri: "note://1"}}, {"a resource nobody watches", change{uri: "note://2"}}} {
		b.Run(c.name, func(b *testing.B) {
			bus := newBus(10, 10_000)
			var all []*subscriber
			for range 1000 {
				woken := make(chan struct{}, 1)
				s := &subscriber{lists: toolList, hurried: true}
				s.wake = func() {
					select {
					case woken <- struct{}{}:
					default:
					}
				}
				bus.join(s)
				if _, err := bus.watch(s, "note://1"); err != nil {
					b.Fatal(err)
				}
				all = append(all, s)
			}
			b.ReportAllocs()
			for b.Loop() {
				bus.publish(c.change)
				b.StopTimer()
				for _, s := range all {
					for _, ok := s.take(); ok; _, ok = s.take() {
					}
				}
				b.StartTimer()
			}
		})
	}
}

// BenchmarkFanOut is a change told to a thousand listens, until the last one has
// it: in memory, and over as many connections.
func BenchmarkFanOut(b *testing.B) {
	const n = 1000
	b.Run("memory", func(b *testing.B) {
		srv := serverOf(b, offering())
		var told sync.WaitGroup
		told.Add(n)
		var ended sync.WaitGroup
		ctx, cancel := context.WithCancel(context.Background())
		for i := range n {
			x := request(mcp.MethodListen, `{"notifications":`+toolsAsk+`}`)
			x.id = jsonrpc.IntID(int64(i))
			x.sink = sinkFunc(func(context.Context, []byte) error { told.Done(); return nil })
			ended.Go(func() { srv.serve(ctx, x) })
		}
		told.Wait()
		unpaced(srv)
		b.ReportAllocs()
		for b.Loop() {
			told.Add(n)
			srv.bus.publish(change{lists: toolList})
			told.Wait()
		}
		cancel()
		ended.Wait()
	})
	b.Run("HTTP", func(b *testing.B) {
		srv := serverOf(b, offering())
		hs := httptest.NewServer(srv.Handler())
		defer hs.Close()
		client := &http.Client{Transport: &http.Transport{}}
		var told, ended sync.WaitGroup
		told.Add(n)
		ctx, cancel := context.WithCancel(context.Background())
		for i := range n {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, hs.URL, strings.NewReader(listenBody(fmt.Sprint(i), toolsAsk)))
			if err != nil {
				b.Fatal(err)
			}
			req.Header = listenHeader()
			res, err := client.Do(req)
			if err != nil {
				b.Fatal(err)
			}
			ended.Go(func() {
				defer res.Body.Close()
				in := bufio.NewScanner(res.Body)
				for in.Scan() {
					if strings.HasPrefix(in.Text(), "data:") {
						told.Done()
					}
				}
			})
		}
		told.Wait()
		unpaced(srv)
		b.ReportAllocs()
		for b.Loop() {
			told.Add(n)
			srv.bus.publish(change{lists: toolList})
			told.Wait()
		}
		cancel()
		ended.Wait()
	})
}

// BenchmarkIdleListen is what a listen over HTTP costs while nothing happens, with
// net/http's part of it.
func BenchmarkIdleListen(b *testing.B) {
	const n = 1000
	var most float64
	for b.Loop() {
		srv := serverOf(b, offering())
		site := serveHTTP(b, srv.Handler())
		before := inUse()
		conns := make([]*raw, n)
		for i := range conns {
			conns[i] = site.dial()
			conns[i].post(listenBody("7", toolsAsk), listenHeader())
			conns[i].response()
			conns[i].in = nil
		}
		most = max(most, (inUse()-before)/n)
		for _, c := range conns {
			_ = c.Close() // the server sees it
		}
	}
	b.ReportMetric(most, "B/listen")
}

// inUse is the memory that cannot be had back.
func inUse() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}
