package contract_test

import (
	"sync/atomic"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// counts are the numbers of calls from package uform that an implementation cannot report by
// itself.
type counts struct {
	encodes, chooses, waits, executorsFreed atomic.Int64
	executor                                abi.Executor // the last that was made
}

// counted returns the same implementation, with a table that counts.
func (u *user) counted() (*user, *counts) {
	on, table, counted := *u.implementation, *u.table, new(counts)
	table.TextEncode = func(arguments *abi.TextEncode) {
		counted.encodes.Add(1)
		u.table.TextEncode(arguments)
	}
	table.TextChoose = func(arguments *abi.TextChoose) {
		counted.chooses.Add(1)
		u.table.TextChoose(arguments)
	}
	table.OutcomeWait = func(outcome *abi.Outcome) abi.Status {
		counted.waits.Add(1)
		return u.table.OutcomeWait(outcome)
	}
	table.ExecutorInit = func(arguments *abi.ExecutorInit) {
		u.table.ExecutorInit(arguments)
		counted.executor = *arguments.Executor
	}
	table.ExecutorInitVRAM = func(arguments *abi.ExecutorInitVRAM) {
		u.table.ExecutorInitVRAM(arguments)
		counted.executor = *arguments.Executor
	}
	table.ExecutorFree = func(executor abi.Executor) {
		u.table.ExecutorFree(executor)
		counted.executorsFreed.Add(1)
	}
	on.table, on.library = &table, uform.OpenTable(&table)
	return &user{T: u.T, implementation: &on}, counted
}
