// Package train trains models: it computes gradients by hand, and takes steps against them.
package train
