package clients_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// TestPage uses the page as somebody does: with a key, two texts, a search, and a picture. Where
// UFORM_SCREENSHOTS names a folder, it writes the pictures of docs/server.md there.
func TestPage(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium here")
	}
	address := serve(t, "--index", "../../examples/search/corpus.txt")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.WindowSize(820, 600))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	var mutex sync.Mutex
	var complaints []string
	chromedp.ListenTarget(ctx, func(event any) {
		mutex.Lock()
		defer mutex.Unlock()
		switch event := event.(type) {
		case *runtime.EventExceptionThrown:
			complaints = append(complaints, event.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			complaints = append(complaints, event.Entry.Text)
		}
	})
	text := func(selector string, wants string) chromedp.Action {
		return chromedp.ActionFunc(func(ctx context.Context) error {
			return chromedp.Poll(`new RegExp(`+"`"+wants+"`"+`).test(document.querySelector("`+selector+`")?.innerText ?? "")`, nil, chromedp.WithPollingTimeout(time.Minute)).Do(ctx)
		})
	}
	show := func(scheme, name string) chromedp.Action {
		return chromedp.ActionFunc(func(ctx context.Context) error {
			err := emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}).Do(ctx)
			folder := os.Getenv("UFORM_SCREENSHOTS")
			if err != nil || folder == "" {
				return err
			}
			var picture []byte
			if err := chromedp.FullScreenshot(&picture, 100).Do(ctx); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644)
		})
	}
	background := func(into *string) chromedp.Action {
		return chromedp.Evaluate(`getComputedStyle(document.body).backgroundColor`, into)
	}
	picture, err := filepath.Abs("../../testdata/media/images/baseline.jpg")
	require.NoError(t, err)
	var light, dark string
	require.NoError(t, chromedp.Run(ctx,
		chromedp.Navigate(address+"/"),
		// Without the key there is a question for it, and nothing else happens.
		chromedp.WaitVisible("#key"),
		text("#wrong-texts", "a key is missing"),
	))
	mutex.Lock()
	complaints = nil // the browser notes the 401
	mutex.Unlock()
	require.NoError(t, chromedp.Run(ctx,
		chromedp.SendKeys("#key", key+"\n"),
		text("#similarity", `^0\.[3-9]`),
		chromedp.SendKeys("#query", "a sleepy pet by the window"),
		text("#matches li", "A cat sleeps on the warm windowsill"),
		chromedp.Evaluate(`document.getElementById("door").hidden = true`, nil),
		show("light", "server-light"), background(&light),
		show("dark", "server-dark"), background(&dark),
		chromedp.SetValue("#model", "senses"),
		chromedp.Evaluate(`document.getElementById("model").dispatchEvent(new Event("change"))`, nil),
		chromedp.WaitVisible("#drop"),
		chromedp.SetUploadFiles("#file", []string{picture}, chromedp.NodeReady),
		text("#ranked", `\\d\\.\\d\\d\\d`),
		show("light", "server-picture"),
	))
	require.NotEqual(t, light, dark)
	var lines []*cdp.Node
	require.NoError(t, chromedp.Run(ctx, chromedp.Nodes("#ranked li", &lines)))
	require.Len(t, lines, 4)
	// What is dropped and is no picture is refused, in words.
	require.NoError(t, chromedp.Run(ctx,
		chromedp.Evaluate(`{
			const dropped = new DataTransfer();
			dropped.items.add(new File(["no picture"], "broken.png", { type: "image/png" }));
			document.getElementById("drop").dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, cancelable: true }));
		}`, nil),
		text("#wrong-picture", `input\\[0\\]: not an image file`),
	))
	mutex.Lock()
	defer mutex.Unlock()
	complaints = slices.DeleteFunc(complaints, func(complaint string) bool {
		return strings.Contains(complaint, "400 (Bad Request)") // the browser notes that answer, too
	})
	require.Empty(t, complaints, "what the browser's console says")
}
