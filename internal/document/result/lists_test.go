package result

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListsThatJSONAlwaysHasAreNeverNull(t *testing.T) {
	type leaf struct {
		Always    []float64 `json:"always"`
		Sometimes []string  `json:"sometimes,omitempty"`
	}
	type tree struct {
		Leaves  []leaf `json:"leaves"`
		Pointer *leaf  `json:"pointer"`
		Any     any    `json:"any"`
		None    *leaf  `json:"none"`
	}
	plain := tree{Leaves: []leaf{{}, {Always: []float64{1}}}, Pointer: &leaf{}, Any: &leaf{}}
	text, err := json.Marshal(withLists(plain))
	require.NoError(t, err)
	require.JSONEq(t, `{"leaves": [{"always": []}, {"always": [1]}], "pointer": {"always": []}, "any": {"always": []}, "none": null}`, string(text))
	require.Nil(t, plain.Leaves[0].Always, "the value itself is as it was")
	require.Nil(t, plain.Pointer.Always)
	text, err = json.Marshal(withLists(&tree{}))
	require.NoError(t, err)
	require.JSONEq(t, `{"leaves": [], "pointer": null, "any": null, "none": null}`, string(text))
}
