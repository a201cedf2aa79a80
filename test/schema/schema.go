// Package schema checks a JSON document against the published JSON Schema,
// docs/timebench-1.schema.json, with a validator that is independent of timebench. It is for
// tests.
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Check fails the test if the document does not fit the schema.
func Check(t testing.TB, document []byte) {
	t.Helper()
	if err := Validate(document); err != nil {
		t.Fatalf("%v\n%s", err, document[:min(len(document), 4096)])
	}
}

// Validate returns which parts of the document do not fit the schema.
func Validate(document []byte) error {
	schema, err := compiled()
	if err != nil {
		return err
	}
	// With numbers as floats: the validator's own decoder keeps their text, and
	// panics at an exponent of a million.
	var value any
	if err := json.Unmarshal(document, &value); err != nil {
		return err
	}
	return schema.Validate(value)
}

var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	name, err := Path()
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	return compiler.Compile(name)
})

// Path returns the path of the schema: from the folder of the running test, up to the module's root and down into docs.
func Path() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(folder, "go.mod"))
		if err == nil {
			return filepath.Join(folder, "docs", "timebench-1.schema.json"), nil
		}
		above := filepath.Dir(folder)
		if !errors.Is(err, fs.ErrNotExist) || above == folder {
			return "", fmt.Errorf("no go.mod above the test: %w", err)
		}
		folder = above
	}
}
