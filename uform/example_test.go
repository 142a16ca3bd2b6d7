package uform_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// open is what every example begins with: a library, and a model in it.
func open() (*uform.Library, *uform.Model) {
	library, err := uform.Open(nil)
	if err != nil {
		log.Fatal(err)
	}
	model, err := mini.Load(context.Background(), library, nil)
	if err != nil {
		log.Fatal(err)
	}
	return library, model
}

// work is an executor and an arena of it.
func work(library *uform.Library) (*uform.Executor, *uform.Arena) {
	executor, err := library.NewExecutor(nil)
	if err != nil {
		log.Fatal(err)
	}
	arena, err := library.NewArena(executor)
	if err != nil {
		log.Fatal(err)
	}
	return executor, arena
}

// dot is the cosine of two vectors of unit length.
func dot(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// The shortest way from texts to vectors.
func Example() {
	_, model := open()
	defer model.Close()
	vectors, err := model.Embed(context.Background(), []string{
		"a cat sat on the mat", "the cat is on a mat", "stock prices fell today",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("closer:", dot(vectors[0], vectors[1]) > dot(vectors[0], vectors[2]))
	// Output: closer: true
}

// A steady loop allocates once: every batch lands in the same arena, and is read before the next
// one rewinds it.
func ExampleOn_TextEncode() {
	ctx := context.Background()
	library, model := open()
	defer model.Close()
	executor, arena := work(library)
	defer executor.Close()
	defer arena.Close()

	var index [][]float32
	for _, batch := range [][]string{{"one", "two"}, {"three"}} {
		encoded, err := model.On(executor).TextEncode(ctx, uform.Strings(batch), arena, nil)
		if err != nil {
			log.Fatal(err)
		}
		for _, vector := range encoded.Embeddings.All() {
			index = append(index, slices.Clone(vector))
		}
	}
	fmt.Println(len(index), "vectors of", len(index[0]))
	// Output: 3 vectors of 192
}

// A deferred call runs while the program does something else.
func ExampleDeferred_TextEncode() {
	ctx := context.Background()
	library, model := open()
	defer model.Close()
	executor, arena := work(library)
	defer executor.Close()
	defer arena.Close()

	call, err := model.Deferred(executor).TextEncode(ctx, uform.Strings([]string{"a cat on a mat"}), arena, nil)
	if err != nil {
		log.Fatal(err)
	}
	<-call.Done()
	encoded, err := call.Wait(ctx)
	fmt.Println(encoded.Embeddings.Len(), err)
	// Output: 1 <nil>
}

// States are one row for each byte, besides the pooled embedding.
func ExampleModel_TextEncode_states() {
	ctx := context.Background()
	library, model := open()
	defer model.Close()
	arena, err := library.NewArena(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer arena.Close()
	encoded, err := model.TextEncode(ctx, uform.Strings([]string{"cat", ""}), arena, &uform.TextOptions{
		Outputs: uform.Embeddings | uform.States,
	})
	if err != nil {
		log.Fatal(err)
	}
	for i, states := range encoded.States.All() {
		fmt.Println("text", i, "has", states.Len(), "states")
	}
	// Output:
	// text 0 has 3 states
	// text 1 has 0 states
}

// Small scalars take less room in an index.
func ExampleTextOptions_scalar() {
	ctx := context.Background()
	library, model := open()
	defer model.Close()
	executor, arena := work(library)
	defer executor.Close()
	defer arena.Close()
	encoded, err := model.On(executor).TextEncode(ctx, uform.Strings([]string{"cat"}), arena, &uform.TextOptions{Scalar: uform.I8})
	if err != nil {
		log.Fatal(err)
	}
	pin, err := encoded.Embeddings.Pin()
	if err != nil {
		log.Fatal(err)
	}
	defer pin.Release()
	row, err := pin.Int8s(0)
	fmt.Println(encoded.Embeddings.Scalar(), len(row), "bytes", err)
	// Output: i8 192 bytes <nil>
}

// Choices are scored with the byte decoder; an item's probabilities sum to one. This model is not
// trained, so what it prefers means nothing.
func ExampleModel_TextChoose() {
	ctx := context.Background()
	library, model := open()
	defer model.Close()
	arena, err := library.NewArena(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer arena.Close()
	chosen, err := model.TextChoose(ctx, uform.Strings([]string{"Is water wet? "}), uform.Strings([]string{"YN"}), arena, nil)
	if err != nil {
		log.Fatal(err)
	}
	var sum float32
	for _, row := range chosen.Probabilities.Rows().All() {
		sum += row[0]
	}
	fmt.Printf("%d choices, %.3f in all\n", chosen.Probabilities.Rows().Len(), sum)
	// Output: 2 choices, 1.000 in all
}

// An error names the item, and all handles stay usable.
func ExampleError() {
	_, model := open()
	defer model.Close()
	_, err := model.Embed(context.Background(), []string{"fine", "br\xffken"})
	var failure *uform.Error
	if errors.As(err, &failure) && errors.Is(err, uform.ErrMalformed) {
		fmt.Println("item", failure.Item, "is malformed")
	}
	_, err = model.Embed(context.Background(), []string{"fine"})
	fmt.Println(err)
	// Output:
	// item 1 is malformed
	// <nil>
}

// A context that ends stops the call at the next slice, and its cause is in the error.
func ExampleHandler() {
	ctx, cancel := context.WithCancelCause(context.Background())
	library, model := open()
	defer model.Close()
	executor, arena := work(library)
	defer executor.Close()
	defer arena.Close()
	enough := errors.New("enough")
	_, err := model.On(executor).TextEncode(ctx, uform.Strings(make([]string, 10_000)), arena, &uform.TextOptions{
		Progress: func(finished, total int) error {
			cancel(enough)
			return nil
		},
	})
	fmt.Println(errors.Is(err, uform.ErrCancelled), errors.Is(err, enough))
	// Output: true true
}

// A pool serves any number of goroutines.
func ExamplePool() {
	_, model := open()
	defer model.Close()
	pool, err := uform.NewPool(model, &uform.PoolOptions{Executors: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	done := make(chan int)
	for range 10 {
		go func() {
			vectors, err := pool.Embed(context.Background(), []string{"a", "b"})
			if err != nil {
				log.Fatal(err)
			}
			done <- len(vectors)
		}()
	}
	total := 0
	for range 10 {
		total += <-done
	}
	fmt.Println(total, "vectors")
	// Output: 20 vectors
}

// A tape is filled again without allocating.
func ExampleTape() {
	var tape uform.Tape
	for _, word := range []string{"one", "two", ""} {
		tape.AppendString(word)
	}
	fmt.Println(tape.Len(), string(tape.Data), tape.Offsets)
	tape.Reset()
	fmt.Println(tape.Len())
	// Output:
	// 3 onetwo [0 3 6 6]
	// 0
}

// Arrow's String arrays have 32-bit offsets.
func ExampleNarrow() {
	tape := uform.Narrow([]byte("onetwo"), []int32{0, 3, 6})
	fmt.Println(tape.Len(), tape.Offsets)
	// Output: 2 [0 3 6]
}

// An executor without threads of its own holds a deferred call until a wait or a drain.
func ExampleExecutor_Drain() {
	ctx := context.Background()
	library, model := open()
	defer model.Close()
	executor, err := library.NewExecutor(&uform.ExecutorOptions{Threads: 1, WithCaller: true})
	if err != nil {
		log.Fatal(err)
	}
	defer executor.Close()
	call, err := model.Deferred(executor).Describe(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("held:", errors.Is(call.Status(), uform.ErrDeferred))
	if err := executor.Drain(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("after the drain:", call.Status())
	// Output:
	// held: true
	// after the drain: <nil>
}

// A model reports its geometry.
func ExampleModel_Describe() {
	_, model := open()
	defer model.Close()
	description, err := model.Describe(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(description.EmbeddingColumns, description.StateColumns, description.Context, description.Modalities)
	// Output: 192 64 1024 [text image video audio]
}

// Rows can be handed to an index that reads them in place; the pin keeps them there.
func ExampleRows() {
	ctx := context.Background()
	library, model := open()
	defer model.Close()
	executor, arena := work(library)
	defer executor.Close()
	defer arena.Close()
	encoded, err := model.On(executor).TextEncode(ctx, uform.Strings([]string{"a", "b"}), arena, nil)
	if err != nil {
		log.Fatal(err)
	}
	rows := encoded.Embeddings
	pin, err := rows.Pin()
	if err != nil {
		log.Fatal(err)
	}
	defer pin.Release()
	fmt.Println(rows.Data() != 0, rows.Stride(), rows.Columns(), rows.Scalar())
	_, err = model.On(executor).TextEncode(ctx, uform.Strings([]string{"c"}), arena, nil)
	fmt.Println(errors.Is(err, uform.ErrContended))
	// Output:
	// true 768 192 f32
	// true
}

// A mood is read from a configuration as text.
func ExampleMood() {
	var mood uform.Mood
	fmt.Println(mood)
	if err := mood.UnmarshalText([]byte("spinning")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(mood)
	fmt.Println(mood.UnmarshalText([]byte("sleepy")))
	// Output:
	// parked
	// spinning
	// uform: unknown mood "sleepy": use "parked" or "spinning"
}

// The embedded engine is always there.
func ExampleOpen() {
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(library.Origin())
	devices, err := library.Devices()
	fmt.Println(len(devices), "devices", err)
	_, err = library.NewDeviceExecutor(nil)
	fmt.Println(errors.Is(err, uform.ErrDevice))
	// Output:
	// embedded 4.0.0
	// 0 devices <nil>
	// true
}
