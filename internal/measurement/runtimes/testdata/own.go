// Own sleeps 300 times for a span in ns, and prints how late each sleep ended.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	ns, _ := strconv.Atoi(os.Args[2])
	for range 300 {
		begin := time.Now()
		time.Sleep(time.Duration(ns))
		fmt.Println(int64(time.Since(begin)) - int64(ns))
	}
}
