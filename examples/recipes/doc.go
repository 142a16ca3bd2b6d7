// Package recipes has a short example for each index, database and library that programs often use
// vectors with: chromem-go, langchaingo, coder/hnsw, Qdrant's client, gonum and Genkit here,
// PostgreSQL with pgvector in folder pgvector, and USearch in folder usearch. docs/neighbours.md
// says what each is for, what is copied, how long memory must stay, and what it costs.
//
//	bash ci/recipes.sh   # installs what they need, and runs them
//
// It is a module of its own, so that programs that import uform do not get its dependencies.
package recipes
