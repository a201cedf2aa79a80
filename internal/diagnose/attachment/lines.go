package attachment

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

const (
	// maxLines is the max number of lines of a text.
	maxLines = 1_000_000
	// maxRead is how many bytes of a line are looked at. A line of journald's JSON has many keys.
	maxRead = 64 << 10
)

// eachLine calls do with each line of a text. It returns an error if the text is longer than may be.
func eachLine(r io.Reader, do func(line string)) error {
	limited := &io.LimitedReader{R: r, N: maxText + 1}
	buffered := bufio.NewReaderSize(limited, maxRead)
	for lines := 0; ; lines++ {
		line, more, err := buffered.ReadLine()
		text := string(line)
		for more && err == nil { // the rest of a long line
			_, more, err = buffered.ReadLine()
		}
		switch {
		case limited.N <= 0:
			return errTooLarge
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case lines >= maxLines:
			return fmt.Errorf("has more than %d lines", maxLines)
		}
		do(text)
	}
}
