package uform_test

import (
	"context"
	"errors"
	"expvar"
	"fmt"
	"log/slog"
	"os"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// Counters under /debug/vars, where net/http serves them: expvar reads them for each request.
func ExampleObserver_expvar() {
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		panic(err)
	}
	observer := new(uform.Observer)
	library.Observe(observer)
	counters := expvar.Func(func() any { return observer.Counters() })
	expvar.Publish("uform", counters)

	model, err := mini.Load(context.Background(), library, nil)
	if err != nil {
		panic(err)
	}
	defer model.Close()
	if _, err := model.Embed(context.Background(), []string{"a cat", "a dog"}); err != nil {
		panic(err)
	}
	library.Observe(nil)
	seen := observer.Counters()
	fmt.Println(seen.Calls, "calls,", seen.Failed, "failed,", seen.InFlight, "in flight")
	// Output:
	// 2 calls, 0 failed, 0 in flight
}

// A warning for each call that fails, and nothing for the others: the logger's level filters them.
func ExampleLibrary_Observe() {
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		panic(err)
	}
	timeless := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "duration" {
			return slog.Attr{}
		}
		return a
	}
	handler := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: timeless})
	library.Observe(&uform.Observer{Logger: slog.New(handler)})
	defer library.Observe(nil)

	model, err := mini.Load(context.Background(), library, nil)
	if err != nil {
		panic(err)
	}
	defer model.Close()
	_, err = model.Embed(context.Background(), []string{"good", "\xff"})
	fmt.Println(errors.Is(err, uform.ErrMalformed))
	// Output:
	// level=WARN msg="encode texts" items=2 input_bytes=5 output_bytes=0 error="uform: encode texts: item 1: malformed: the text is not valid UTF-8"
	// true
}
