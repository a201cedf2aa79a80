package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/show/exposition"
)

// The limits of the server. A collector asks once in some seconds and reads a page of some kilobytes.
const (
	// maxConnections are open at a time.
	maxConnections = 64
	// acceptEvery is the least time between two connections that are accepted. So each has maxConnections times this for
	// its request, also while others connect without end.
	acceptEvery = time.Millisecond
	// patience is how long a client may take to send a request, to read the answer, and to send the next request.
	patience  = 5 * time.Second
	maxHeader = 8 << 10
)

// A Server serves the metrics of a watch by HTTP, and whether it is alive.
type Server struct {
	listener net.Listener
	http     *http.Server
	page     atomic.Pointer[page]
	state    atomic.Pointer[State]

	mutex sync.Mutex
	open  []net.Conn // the oldest first
}

// A page is what was last published.
type page struct {
	metrics []byte
	// until is when a watch that is alive has published another one.
	until time.Time
}

// Listen returns a server that listens on an address of TCP. A host that is empty is the loopback, so a port
// alone never serves other machines.
func Listen(address string) (*Server, error) { return listen(address, patience) }

func listen(address string, patience time.Duration) (*Server, error) {
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
	s := &Server{listener: listener}
	pages := http.NewServeMux()
	pages.HandleFunc("GET /{$}", s.home)
	pages.HandleFunc("GET /metrics", s.metrics)
	pages.HandleFunc("GET /healthz", s.healthz)
	s.http = &http.Server{
		Handler: pages, ReadTimeout: patience, WriteTimeout: patience, MaxHeaderBytes: maxHeader, ConnState: s.changed,
		ErrorLog: log.New(io.Discard, "", 0), // of connections that others broke
	}
	return s, nil
}

// changed is called when a connection changes its state; for a new one by the goroutine that accepts it. One beyond
// maxConnections closes the oldest: clients that keep theirs, and send no request, must not keep out the others.
func (s *Server) changed(connection net.Conn, state http.ConnState) {
	s.mutex.Lock()
	switch state {
	case http.StateNew:
		s.open = append(s.open, connection)
		if len(s.open) > maxConnections {
			_ = s.open[0].Close()
			s.open = slices.Delete(s.open, 0, 1)
		}
	case http.StateClosed:
		s.open = slices.DeleteFunc(s.open, func(c net.Conn) bool { return c == connection })
	}
	s.mutex.Unlock()
	if state == http.StateNew {
		time.Sleep(acceptEvery)
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

// Close ends the server. Requests that are under way have a second to end.
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

func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	p := s.page.Load()
	if p == nil {
		http.Error(w, "the first turn is not over", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", exposition.ContentType)
	_, _ = w.Write(p.metrics)
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	p := s.page.Load()
	switch {
	case p == nil:
		http.Error(w, "the first turn is not over", http.StatusServiceUnavailable)
	case time.Now().After(p.until):
		http.Error(w, "the last turn is overdue", http.StatusServiceUnavailable)
	default:
		_, _ = w.Write([]byte("ok\n"))
	}
}
