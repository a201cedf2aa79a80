package clock

import (
	"fmt"
	"sync"

	"github.com/timebench/timebench/internal/clock/entry"
	"github.com/timebench/timebench/internal/document/result"
	"golang.org/x/sys/unix"
)

// counterAllowed returns an error unless the vDSO reads the counter in user mode: the kernel allows both by the same
// setting (arch_counter_set_user_access in drivers/clocksource/arm_arch_timer.c), and no call reports it. A forbidden
// read ends the process (SIGILL).
var counterAllowed = sync.OnceValue(func() error {
	const reason = "the vDSO does not read the counter of this CPU in user mode, so this kernel may not allow it"
	read, err := probe(clockGettime(unix.CLOCK_MONOTONIC))
	if err != nil {
		return fmt.Errorf("%s: %w", reason, err)
	}
	if verdict := entry.Of([]entry.Read{read})[0]; verdict.Enters != result.Never {
		return fmt.Errorf("%s: CLOCK_MONOTONIC@vdso enters the kernel: %s", reason, verdict.Enters)
	}
	return nil
})
