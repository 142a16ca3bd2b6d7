// Package handle counts the uses of a library's handle, so that it is freed once, at the right
// moment.
//
// A C handle has one owner who frees it, while calls and other handles rely on it. A [Handle] knows
// two kinds of use: a call, which closing waits for, and a reference, which only puts the freeing
// off. The rules:
//
//   - Closing marks the handle: no use can begin after that.
//   - Closing waits until every call has ended, and advances held calls, which no goroutine runs.
//   - The handle is freed exactly once, after the last use, and never during a call.
//   - Closing returns when the handle is freed, unless a reference delays that. Closing again is
//     safe, and waits like the first time.
//   - The goroutine that ends a call does not free the handle, as other calls may wait for it. A
//     goroutine that waits in Close frees it, or a new one.
//
// Packages arena and uform build their types on it; programs do not need it.
package handle
