package formats

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// A tab is a page in a browser that has no network. Commands and events pass through two pipes, as JSON that ends with
// a zero byte (https://chromedevtools.github.io/devtools-protocol/).
type tab struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Scanner
	last    int    // the number of the last command
	session string // of the page
	loaded  bool
	// faults are errors of the page: exceptions, log messages, and requests.
	faults []string
}

type object map[string]any

// A message answers the command with its ID, or reports an event.
type message struct {
	ID            int
	Method        string
	Result, Error json.RawMessage
	Params        struct {
		ExceptionDetails struct{ Text string }
		Entry            struct{ Text string }
		Request          struct{ URL string }
	}
}

// open opens a file in a browser of its own.
func open(t *testing.T, file string) *tab {
	t.Helper()
	commands, to, err := os.Pipe()
	require.NoError(t, err)
	from, messages, err := os.Pipe()
	require.NoError(t, err)
	browser := exec.Command(need.Program(t, "chromium"), "--headless", "--remote-debugging-pipe", "--no-sandbox",
		"--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--disable-component-update",
		"--disable-background-networking", "--disable-extensions", "--hide-scrollbars", "--no-first-run",
		"--user-data-dir="+t.TempDir(),
		// All names fail to resolve: the network is off.
		"--host-resolver-rules=MAP * ~NOTFOUND")
	browser.ExtraFiles = []*os.File{commands, messages}
	var said bytes.Buffer
	browser.Stdout, browser.Stderr = &said, &said
	browser.WaitDelay = 10 * time.Second
	require.NoError(t, browser.Start())
	_, _ = commands.Close(), messages.Close()
	// A browser that hangs is killed, which ends the wait for its messages.
	end := time.AfterFunc(need.Long, func() { _ = browser.Process.Kill() })
	tab := &tab{t: t, to: to, from: bufio.NewScanner(from)}
	tab.from.Buffer(nil, 64<<20) // a page on paper is one message
	tab.from.Split(func(data []byte, _ bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, 0); i >= 0 {
			return i + 1, data[:i], nil
		}
		return 0, nil, nil
	})
	t.Cleanup(func() {
		_ = to.Close() // ends the browser
		_ = browser.Wait()
		end.Stop()
		_ = from.Close()
		if t.Failed() {
			t.Logf("%v: %s", browser.ProcessState, &said)
		}
	})
	var target struct{ TargetID string }
	tab.call("Target.createTarget", object{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	tab.call("Target.attachToTarget", object{"targetId": target.TargetID, "flatten": true}, &attached)
	tab.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		tab.call(domain+".enable", nil, nil)
	}
	tab.call("Page.navigate", object{"url": "file://" + file}, nil)
	for !tab.loaded {
		tab.read()
	}
	return tab
}

// call calls a method, and decodes what it returns into result.
func (tab *tab) call(method string, params object, result any) {
	tab.t.Helper()
	tab.last++
	command := object{"id": tab.last, "method": method, "params": params}
	if params == nil {
		delete(command, "params")
	}
	if tab.session != "" {
		command["sessionId"] = tab.session
	}
	text, err := json.Marshal(command)
	require.NoError(tab.t, err)
	_, err = tab.to.Write(append(text, 0))
	require.NoError(tab.t, err)
	for {
		answer := tab.read()
		if answer.ID != tab.last {
			continue
		}
		require.Empty(tab.t, string(answer.Error), "%s %v", method, params)
		if result != nil {
			require.NoError(tab.t, json.Unmarshal(answer.Result, result))
		}
		return
	}
}

// read reads the next message, and keeps what an event says about the page.
func (tab *tab) read() (m message) {
	tab.t.Helper()
	require.True(tab.t, tab.from.Scan(), "the browser ended: %v", tab.from.Err())
	require.NoError(tab.t, json.Unmarshal(tab.from.Bytes(), &m))
	fault := ""
	switch m.Method {
	case "Page.loadEventFired":
		tab.loaded = true
	case "Runtime.exceptionThrown":
		fault = "exception: " + m.Params.ExceptionDetails.Text
	case "Log.entryAdded":
		fault = "log: " + m.Params.Entry.Text
	case "Network.requestWillBeSent":
		if !strings.HasPrefix(m.Params.Request.URL, "file://") {
			fault = "wants " + m.Params.Request.URL
		}
	}
	if fault != "" {
		tab.faults = append(tab.faults, fault)
	}
	return m
}

// get evaluates an expression of the page.
func get[T any](tab *tab, expression string) T {
	tab.t.Helper()
	var got struct {
		Result           struct{ Value T }
		ExceptionDetails json.RawMessage
	}
	tab.call("Runtime.evaluate", object{"expression": expression, "returnByValue": true}, &got)
	require.Empty(tab.t, string(got.ExceptionDetails), expression)
	return got.Result.Value
}

// click clicks into the middle of an element.
func (tab *tab) click(selector string) {
	tab.t.Helper()
	at := get[[2]float64](tab, `(() => {
		const e = document.querySelector("`+selector+`");
		e.scrollIntoView({block: "center"});
		const box = e.getBoundingClientRect();
		return [box.left + box.width / 2, box.top + box.height / 2];
	})()`)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		tab.call("Input.dispatchMouseEvent",
			object{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}, nil)
	}
}

// enter focuses an element and presses Enter.
func (tab *tab) enter(selector string) {
	tab.t.Helper()
	get[any](tab, `document.querySelector("`+selector+`").focus()`)
	for _, kind := range []string{"keyDown", "keyUp"} {
		tab.call("Input.dispatchKeyEvent",
			object{"type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}, nil)
	}
}
