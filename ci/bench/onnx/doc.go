// Package onnx runs the trunk of docs/checkpoint.md in ONNX Runtime, for comparison. graph.go
// writes its graph with a checkpoint's weights, with ONNX Runtime's own operators for every part of
// it, and runtime.go runs it in the shared library, which is called through purego. The library is
// in the npm package onnxruntime-node.
package onnx
