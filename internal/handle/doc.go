// Package handle counts who uses a library's handle, so that it is freed once, at the right moment.
//
// A C handle has one owner who frees it, while calls and other handles rely on it. A [Handle] knows
// two kinds of use: a call, which closing waits for, and a reference, which only puts the freeing
// off. The rules:
//
//   - Closing marks the handle: nobody can begin to use it after that.
//   - Closing waits until every call is over, and advances those that only wait for somebody to run them.
//   - The handle is freed exactly once, after the last use, and never under a call.
//   - Closing returns when the handle is freed, unless a reference puts that off. Closing again is safe, and waits as the first
//     one does.
//   - Whoever ends a call does not free the handle, as other calls may wait for it: those who close it do, or a goroutine of its own.
//
// Packages arena and uform build their types on it; programs have no need to.
package handle
