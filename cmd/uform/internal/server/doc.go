// Package server serves models over HTTP in the shapes of three APIs: OpenAI's, Ollama's and that
// of text-embeddings-inference.
//
// A request passes admission (admission.go: keys, limits, draining), is decoded by its API
// (openai.go, ollama.go, inference.go) into an [asking], waits in the queue of its model (queue.go)
// for a worker that is free, and is answered, or refused (refusal.go), in the shape of its API.
//
// Batches form across requests: a worker that becomes free takes all that waits, up to a bound.
// Nothing waits for a batch to fill.
package server
