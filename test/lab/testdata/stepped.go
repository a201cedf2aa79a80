// Command stepped counts the instructions of a read of CLOCK_MONOTONIC by the vDSO: it executes them one by one
// (PTRACE_SINGLESTEP, ptrace(2)) in a second process of its own, and prints how many are in the vDSO, and how many in
// the loop around it.
package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/machine/native"
	"golang.org/x/sys/unix"
)

// reads is the number of reads that it executes. The vDSO repeats a read if the kernel updates its data in the
// meantime, which is likely at this low speed; the shortest read is not repeated.
const reads = 100

func init() {
	// A tracer is a thread, and so is its tracee: the first thread of the process.
	runtime.LockOSThread()
}

func main() {
	log.SetFlags(0)
	if len(os.Args) == 2 {
		read()
		return
	}
	inVDSO, around := steps()
	fmt.Println(slices.Min(inVDSO), slices.Min(around))
}

func read() {
	fn, err := vdso.Lookup("clock_gettime")
	check(err)
	now := new(unix.Timespec)
	stop := func() { check(unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP)) }
	stop()
	native.CallIDBuffer(fn, unix.CLOCK_MONOTONIC, unsafe.Pointer(now), 0, reads)
	stop()
}

// steps returns the number of instructions of each read in the vDSO, and the number between one read and the next.
func steps() (inVDSO, around []int) {
	child := exec.Command("/proc/self/exe", "read")
	child.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1") // no signals while it reads
	child.Stderr = os.Stderr
	child.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Pdeathsig: unix.SIGKILL}
	check(child.Start())
	pid := child.Process.Pid
	defer func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}()
	for stopped(pid) != unix.SIGSTOP {
		check(unix.PtraceCont(pid, 0))
	}
	from, to := mapped(pid)
	inside, outside := 0, 0
	for {
		check(unix.PtraceSingleStep(pid))
		if stopped(pid) != unix.SIGTRAP {
			return inVDSO, around
		}
		var registers unix.PtraceRegs
		check(unix.PtraceGetRegs(pid, &registers))
		switch isIn := registers.Rip >= from && registers.Rip < to; {
		case isIn && inside == 0 && len(inVDSO) > 0:
			around = append(around, outside)
			inside = 1
		case isIn:
			inside++
		case inside > 0:
			inVDSO = append(inVDSO, inside)
			inside, outside = 0, 1
		default:
			outside++
		}
	}
}

// stopped waits until a process stops, and returns the signal.
func stopped(pid int) syscall.Signal {
	var status unix.WaitStatus
	_, err := unix.Wait4(pid, &status, 0, nil)
	check(err)
	if !status.Stopped() {
		log.Fatalf("process %d ended", pid)
	}
	return status.StopSignal()
}

func mapped(pid int) (from, to uint64) {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	check(err)
	for line := range strings.Lines(string(maps)) {
		if strings.Contains(line, "[vdso]") {
			_, err := fmt.Sscanf(line, "%x-%x", &from, &to)
			check(err)
			return from, to
		}
	}
	log.Fatal("no vDSO")
	return 0, 0
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
