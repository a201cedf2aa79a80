package program

// An output keeps what a program prints, up to a limit.
type output struct {
	limit    int64
	text     []byte
	exceeded bool
	full     chan struct{} // closed when the program prints more
}

func newOutput(limit int64) *output { return &output{limit: limit, full: make(chan struct{})} }

// Write never fails, so the program can go on.
func (o *output) Write(text []byte) (int, error) {
	room := min(o.limit-int64(len(o.text)), int64(len(text)))
	o.text = append(o.text, text[:room]...)
	if room < int64(len(text)) && !o.exceeded {
		o.exceeded = true
		close(o.full)
	}
	return len(text), nil
}
