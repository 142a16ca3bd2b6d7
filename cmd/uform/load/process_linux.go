package main

import (
	"fmt"
	"os"
	"strings"
)

// processor is the processor time of a process, in seconds.
func processor(pid int) float64 {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name, in parentheses, may have spaces.
	fields := strings.Fields(string(content[strings.LastIndexByte(string(content), ')')+1:]))
	var user, system float64
	fmt.Sscan(fields[11], &user)
	fmt.Sscan(fields[12], &system)
	return (user + system) / 100 // the kernel's ticks for programs, on every architecture of Go
}

// resident is the memory that a process has, in megabytes.
func resident(pid int) float64 {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var pages, resident float64
	fmt.Sscan(string(content), &pages, &resident)
	return resident * float64(os.Getpagesize()) / 1e6
}
