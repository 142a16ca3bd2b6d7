// Package peak keeps the units that multiply and add busy, and nothing else: what a product is
// measured against, in the same run.
package peak
