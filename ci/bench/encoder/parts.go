package main

import (
	"fmt"
	"strings"
)

// parts measures everything except whole encoders, in one run: products, the shipped model,
// serving, waiting modes, growth and scheduling.
func parts(blas string, rounds int) (string, error) {
	var report strings.Builder
	fmt.Fprintf(&report, "One run of its own, apart from the encoders above: medians of %d interleaved rounds, processor time unless it says clock, on %s.\n\n",
		rounds, machine())
	products, err := products(blas, rounds)
	if err != nil {
		return "", err
	}
	writeProducts(&report, products)
	bag, err := shipped(rounds)
	if err != nil {
		return "", err
	}
	report.WriteString("\n")
	writeShipped(&report, bag)
	report.WriteString("\n")
	if err := serving(&report); err != nil {
		return "", err
	}
	compared, err := moods(rounds)
	if err != nil {
		return "", err
	}
	report.WriteString("\n")
	writeMoods(&report, compared)
	report.WriteString("\n")
	if err := growth(&report); err != nil {
		return "", err
	}
	report.WriteString("\n")
	if err := hosts(&report); err != nil {
		return "", err
	}
	return report.String(), nil
}
