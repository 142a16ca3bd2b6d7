// Package peak measures the peak rate of the multiply-add units. Products are compared with it in
// the same run.
package peak
