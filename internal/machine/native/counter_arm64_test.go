package native

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheFirmwareSetsTheRateOfTheCounter(t *testing.T) { require.NotZero(t, CounterHz()) }
