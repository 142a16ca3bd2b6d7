// Command distill teaches a small byte model what a teacher model says.
//
//	go run ./examples/distill -teacher all-MiniLM-L6-v2 -texts lines.txt -o mine.safetensors
//	go run ./examples/encode -model mine.safetensors
//
// The teacher is any model that library.Load takes, or one behind an OpenAI-compatible endpoint,
// whose key is in the environment variable OPENAI_API_KEY, or the one that -teacher-key names:
//
//	go run ./examples/distill -teacher http://localhost:8080/v1 -teacher-model NAME -texts lines.txt
//
// An endpoint is asked in batches. A refusal that may pass (429, 5xx, a broken connection) is tried
// eight times in all, after as long as Retry-After says.
//
// The student reads bytes. It has no tokenizer, and by default no layers: it is the mean of rows of
// hashed n-grams, as the model of package words, to which the order of words does not matter.
// -size, and flags for each number, choose how large it is; -layers puts a transformer over the
// rows; -from begins with a checkpoint. With as many columns as the teacher, which is the default,
// it learns to reproduce the teacher's vectors (1 − cosine) and their similarities. Otherwise, and
// where it has a lexical lane, it learns from the similarities alone.
//
// A twentieth of the lines, at least fifty, is held out, and near copies of those are not learned
// from. Before, during and after the run the program measures on them
//
//   - the mean cosine to the teacher's vectors, where the columns are the same, and
//   - rank agreement: Spearman's correlation of the similarities of pairs of lines by the student
//     with those by the teacher.
//
// With -sts it also measures Spearman's correlation with the scores of a file of the STS benchmark,
// whose texts are not learned from. The figures before and after are printed; after is that of the
// written file. The curve is an SVG file beside it.
//
// An interrupt ends the program with status 130. The same command continues: the teacher's vectors
// are kept in a file beside the output (.vectors, two bytes a scalar; other runs with that teacher
// may use it), and so is the run (.run, until it is complete). The result depends on the command,
// the texts and the kind of processor, not on interrupts or threads.
//
// uform_trainer_step has no argument for targets, so training is that of package engine/train.
package main
