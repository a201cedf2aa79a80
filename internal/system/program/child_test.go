package program

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// A role answers over pipes, ends with its input, and explains its failure.
func TestStartARole(t *testing.T) {
	need.Processes(t)
	child, err := Start(t.Context(), Role("echo", "no", "more"))
	require.NoError(t, err)
	_, err = child.In.WriteString("hello\n")
	require.NoError(t, err)
	answer := make([]byte, 6)
	_, err = io.ReadFull(child.Out, answer)
	require.NoError(t, err)
	require.Equal(t, "hello\n", string(answer))
	require.Equal(t, "exit status 2: no more", child.Fate())
	require.Equal(t, 2, child.Close().ExitCode())
}

func TestAnUnknownRoleFails(t *testing.T) {
	need.Processes(t)
	child, err := Start(t.Context(), Role("none"))
	require.NoError(t, err)
	require.Equal(t, `exit status 2: unknown role "none"; roles are for timebench itself`, child.Fate())
}

func TestAChildEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	child, err := Start(ctx, playing(t, "sleep"))
	require.NoError(t, err)
	enough := errors.New("enough")
	cancel(enough)
	<-child.Ended()
	require.False(t, child.Close().Success())
	_, err = Start(ctx, playing(t, "sleep"))
	require.ErrorIs(t, err, enough)
}
