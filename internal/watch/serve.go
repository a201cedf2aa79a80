package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/show/exposition"
	"golang.org/x/net/netutil"
)

// The limits of the server. A collector asks once in some seconds and reads a page of some kilobytes.
const (
	maxConnections = 64
	// patience is how long a client may take to send a request. When clients hold all connections without sending one,
	// the next client waits this long.
	patience = time.Second
	// writePatience is how long a client may take to read the answer.
	writePatience = 5 * time.Second
	maxHeader     = 8 << 10
)

// A Server serves the metrics of a watch by HTTP, and whether it is alive.
type Server struct {
	listener net.Listener
	http     *http.Server
	page     atomic.Pointer[page]
}

// A page is what was last published.
type page struct {
	metrics []byte
	// until is when a live watch has published the next page.
	until time.Time
}

// Listen returns a server that listens on an address of TCP. A host that is empty is the loopback, so a port
// alone never serves other machines.
func Listen(address string) (*Server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q: write HOST:PORT, such as 127.0.0.1:9109", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		if within, ok := errors.AsType[*net.OpError](err); ok {
			err = within.Err
		}
		return nil, fmt.Errorf("%s: %w", net.JoinHostPort(host, port), err)
	}
	s := &Server{listener: netutil.LimitListener(listener, maxConnections)}
	pages := http.NewServeMux()
	pages.Handle("GET /{$}", http.RedirectHandler("/metrics", http.StatusFound))
	pages.HandleFunc("GET /metrics", s.published(func(w http.ResponseWriter, p *page) {
		w.Header().Set("Content-Type", exposition.ContentType)
		_, _ = w.Write(p.metrics)
	}))
	pages.HandleFunc("GET /healthz", s.published(func(w http.ResponseWriter, p *page) {
		if time.Now().After(p.until) {
			http.Error(w, "the last turn is overdue", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ok\n")
	}))
	s.http = &http.Server{
		Handler: pages, ReadTimeout: patience, WriteTimeout: writePatience, MaxHeaderBytes: maxHeader,
		ErrorLog: log.New(io.Discard, "", 0), // of connections that others broke
	}
	s.http.SetKeepAlivesEnabled(false) // a client that stays would keep out others
	return s, nil
}

// published returns a handler of requests after the first turn.
func (s *Server) published(answer func(w http.ResponseWriter, p *page)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if p := s.page.Load(); p != nil {
			answer(w, p)
			return
		}
		http.Error(w, "the first turn is not over", http.StatusServiceUnavailable)
	}
}

// Address returns the address on which the server listens.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Serve serves until Close, and returns why it ended before.
func (s *Server) Serve() error {
	if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close ends the server. Requests that have begun have a second to end.
func (s *Server) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close()
	}
}

// Put replaces the metrics. Without another Put within the time valid, the watch is not healthy.
func (s *Server) Put(metrics []byte, valid time.Duration) {
	s.page.Store(&page{metrics, time.Now().Add(valid)})
}
