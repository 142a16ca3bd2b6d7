package abi

//go:generate go run -C ../ci/abigen . -root ../..
