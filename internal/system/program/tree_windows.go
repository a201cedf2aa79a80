package program

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A tree is a program and its descendants. They are in a job object, which a process cannot leave.
// The program is created suspended and runs only when it is in the job, so it has no descendant
// outside. Windows ends the job with its last handle, also if timebench is killed.
type tree struct {
	command *exec.Cmd
	state   *os.ProcessState
	job     windows.Handle
}

func startTree(command *exec.Cmd) (*tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("job object: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		_ = windows.CloseHandle(job)
		return nil, fmt.Errorf("job object: %w", err)
	}
	// A process group of its own: Ctrl-C ends timebench, which then ends the program.
	command.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP,
	}
	t := &tree{command: command, job: job}
	if err := t.start(); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *tree) start() error {
	if err := t.command.Start(); err != nil {
		return err
	}
	var assigned error
	err := t.command.Process.WithHandle(func(handle uintptr) {
		assigned = windows.AssignProcessToJobObject(t.job, windows.Handle(handle))
	})
	err = errors.Join(err, assigned)
	if err == nil {
		err = resume(uint32(t.command.Process.Pid))
	}
	if err != nil {
		_ = t.command.Process.Kill()
		_ = t.command.Wait()
		return fmt.Errorf("job object: %w", err)
	}
	return nil
}

// resume starts the only thread of a process that was created suspended. Package os closes the
// handle of the thread, so it is looked up.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		defer func() { _ = windows.CloseHandle(thread) }()
		_, err = windows.ResumeThread(thread)
		return err
	}
	return fmt.Errorf("the thread of process %d: %w", pid, err)
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	userTime, kernelTime, periodUserTime, periodKernelTime int64
	pageFaults, processes, active, terminated              uint32
}

func (t *tree) end() error {
	deadline := time.Now().Add(dying)
	for {
		if err := windows.TerminateJobObject(t.job, 1); err != nil {
			return fmt.Errorf("its processes cannot be ended: %w", err)
		}
		var count accounting
		if err := windows.QueryInformationJobObject(t.job, windows.JobObjectBasicAccountingInformation,
			uintptr(unsafe.Pointer(&count)), uint32(unsafe.Sizeof(count)), nil); err != nil {
			return fmt.Errorf("the processes of its job object: %w", err)
		}
		if count.active == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d of its processes cannot be ended", count.active)
		}
		time.Sleep(time.Millisecond)
	}
}

func (t *tree) close() { _ = windows.CloseHandle(t.job) }

// endWithParent does nothing: a role ends at the end of its standard input.
func endWithParent(*exec.Cmd) {}

func ownSession(*exec.Cmd) {}

// collect reads the outputs to their end, after wait and end. If a process that was not ended holds one open, its rest
// is unknown: an error.
func (t *tree) collect() error {
	began := time.Now()
	// Its error is always that the process was waited for before, and hides exec.ErrWaitDelay.
	_ = t.command.Wait()
	t.command.ProcessState = t.state
	if time.Since(began) >= t.command.WaitDelay {
		return errors.New("a process that it started holds its output open")
	}
	return nil
}
