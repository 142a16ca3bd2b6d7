// Package onnx runs the trunk of docs/checkpoint.md in ONNX Runtime, for a comparison: graph.go
// writes its graph with a checkpoint's weights, with the operators that ONNX Runtime has of its own
// for every part of it, and runtime.go runs that in the shared library, reached through purego. The
// library is inside the npm package onnxruntime-node.
package onnx
