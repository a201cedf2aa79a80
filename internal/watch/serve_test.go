package watch

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/test/need"
)

// serving returns a server on the loopback.
func serving(t *testing.T) *Server {
	t.Helper()
	s, err := Listen(":0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Serve() }()
	t.Cleanup(func() {
		s.Close()
		require.NoError(t, <-done)
	})
	return s
}

// requirePage requires the status and the text of a page, and the type of metrics. It leaves out a text that is "*".
func requirePage(t *testing.T, s *Server, method, path string, status int, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.Address()+path, http.NoBody)
	require.NoError(t, err)
	request.Close = true
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, status, answer.StatusCode, path)
	if text != "*" {
		require.Equal(t, text, string(body), path)
	}
	if path == "/metrics" && status == http.StatusOK {
		require.Equal(t, exposition.ContentType, answer.Header.Get("Content-Type"))
	}
}

// connected returns a connection that has sent a request. It is closed when the test ends.
func connected(t *testing.T, s *Server, request string) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", s.Address())
	require.NoError(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	_, _ = connection.Write([]byte(request)) // the server may close the connection meanwhile
	return connection
}

func TestServer(t *testing.T) {
	s := serving(t)
	host, _, err := net.SplitHostPort(s.Address())
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1", host, "a port alone is on the loopback")
	for _, path := range []string{"/metrics", "/healthz"} {
		requirePage(t, s, http.MethodGet, path, http.StatusServiceUnavailable, "the first turn is not over\n")
	}
	s.Put([]byte("a 1\n"), time.Hour)
	requirePage(t, s, http.MethodGet, "/metrics", http.StatusOK, "a 1\n")
	requirePage(t, s, http.MethodGet, "/", http.StatusOK, "a 1\n")
	requirePage(t, s, http.MethodGet, "/healthz", http.StatusOK, "ok\n")
	requirePage(t, s, http.MethodHead, "/metrics", http.StatusOK, "")
	s.Put([]byte("a 2\n"), -time.Second)
	requirePage(t, s, http.MethodGet, "/healthz", http.StatusServiceUnavailable, "the last turn is overdue\n")
	requirePage(t, s, http.MethodGet, "/metrics", http.StatusOK, "a 2\n") // the time of the last run tells its age
}

func TestNothingElseIsServed(t *testing.T) {
	t.Parallel()
	s := serving(t)
	s.Put(nil, time.Hour)
	for _, path := range []string{"/x", "/metrics/", "/metrics/x", "/debug/pprof/", "/healthz/..%2f..%2fetc/passwd", "/favicon.ico"} {
		requirePage(t, s, http.MethodGet, path, http.StatusNotFound, "*")
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, "NONSENSE"} {
		requirePage(t, s, method, "/metrics", http.StatusMethodNotAllowed, "*")
	}
	// Requests that are not HTTP, and a header without an end.
	for _, text := range []string{"\x16\x03\x01\x02\x00", "GET /metrics HTTP/9.9\r\n\r\n", "GET /metrics HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 1<<20)} {
		connection := connected(t, s, text)
		require.NoError(t, connection.SetDeadline(time.Now().Add(need.Long)))
		answer, _ := io.ReadAll(connection)
		require.NotContains(t, string(answer), "200 OK", "%.20q", text)
		require.NoError(t, connection.Close())
	}
	requirePage(t, s, http.MethodGet, "/healthz", http.StatusOK, "ok\n")
}

// requests are nothing, a request that has no end, and one after which the connection stays.
var requests = []string{"", "GET /metrics HTTP/1.1\r\nHost: x\r\n", "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"}

// A page is served while others keep all connections: without a request, with a request that has no end, or after the
// answer. They are cut off when the patience of the server ends.
func TestClientsThatKeepTheirConnections(t *testing.T) {
	t.Parallel()
	s := serving(t)
	s.Put([]byte("a 1\n"), time.Hour)
	for _, request := range requests {
		var last net.Conn
		for range maxConnections {
			last = connected(t, s, request)
		}
		need.Ends(t, "the request", func() { requirePage(t, s, http.MethodGet, "/healthz", http.StatusOK, "ok\n") })
		require.NoError(t, last.SetDeadline(time.Now().Add(need.Long)))
		_, err := io.Copy(io.Discard, last)
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the server never closed the connection")
	}
}

// A page is served while others connect again as soon as they are cut off. A request may come
// too late on a busy machine, so the client asks again.
func TestClientsThatConnectWithoutEnd(t *testing.T) {
	s := serving(t)
	s.Put([]byte("a 1\n"), time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	defer clients.Wait()
	defer cancel()
	const others = maxConnections + maxConnections/2 // fewer than the system keeps waiting
	for range others {
		clients.Go(func() {
			for ctx.Err() == nil {
				connection, err := net.Dial("tcp", s.Address())
				if err != nil {
					continue
				}
				stop := context.AfterFunc(ctx, func() { _ = connection.Close() })
				_, _ = io.Copy(io.Discard, connection)
				stop()
				_ = connection.Close()
			}
		})
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: writePatience}
	need.Ends(t, "asking until an answer comes", func() {
		for ctx.Err() == nil {
			answer, err := client.Get("http://" + s.Address() + "/healthz")
			if err != nil {
				continue
			}
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
	})
}

func TestAddressesThatAreRefused(t *testing.T) {
	s := serving(t)
	for address, want := range map[string]string{
		"":                  `"": write HOST:PORT, such as 127.0.0.1:9109`,
		"9109":              `"9109": write HOST:PORT, such as 127.0.0.1:9109`,
		"http://x:1/":       `"http://x:1/": write HOST:PORT, such as 127.0.0.1:9109`,
		"127.0.0.1:nothing": "127.0.0.1:nothing: ",
		"127.0.0.1:99999":   "127.0.0.1:99999: ",
		"192.0.2.1:9109":    "192.0.2.1:9109: ", // of no machine; RFC 5737
		s.Address():         s.Address() + ": ",
	} {
		_, err := Listen(address)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
}
