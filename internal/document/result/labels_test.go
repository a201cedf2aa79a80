package result_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

func TestLabels(t *testing.T) {
	require.NoError(t, result.CheckLabels(nil))
	require.NoError(t, result.CheckLabels([]string{"host=web1", "rack=3=4", "a.b-c_D=é x"}))
	d := &result.Document{Labels: []string{"host=web1", "rack=3=4"}}
	require.Equal(t, []string{"web1", "3=4", ""}, []string{d.Label("host"), d.Label("rack"), d.Label("hos")})
	for label, says := range map[string]string{
		"host": "is no label; write key=value", "=web1": "is no label", "host=": "is no label", "1a=b": "is no label", "a b=c": "is no label",
		strings.Repeat("a", 64) + "=b": "is no label", "a=" + strings.Repeat("b", 201): "longer than 200 bytes",
		"a=b\x1b[2J": "not printable", "a=\xff": "not printable", "a=b\nc": "not printable", "": "is no label",
	} {
		require.ErrorContains(t, result.CheckLabels([]string{label}), says, "%q", label)
	}
	require.ErrorContains(t, result.CheckLabels([]string{"a=1", "b=2", "a=3"}), "a appears twice")
	var many []string
	for i := range result.MaxLabels + 1 {
		many = append(many, fmt.Sprintf("k%d=v", i))
	}
	require.ErrorContains(t, result.CheckLabels(many), "65 labels are more than 64")
}
