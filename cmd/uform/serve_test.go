package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/folder/foldertest"
	"github.com/unum-cloud/uform-go/uform"
)

// asProgram is the environment variable that makes the test's executable the program.
const asProgram = "UFORM_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// process is a running "uform serve".
type process struct {
	*exec.Cmd
	url    string
	stderr *bufio.Reader
}

// start starts "uform serve" as a process of its own, and returns once it serves.
func start(t *testing.T, environment []string, flags ...string) *process {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(executable, append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...)...)
	command.Env = append(append(os.Environ(), asProgram+"=1"), environment...)
	stderr, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		if command.ProcessState == nil {
			_ = command.Process.Kill()
			_ = command.Wait()
		}
	})
	p := &process{Cmd: command, stderr: bufio.NewReader(stderr)}
	line, err := p.stderr.ReadString('\n')
	require.NoError(t, err)
	_, address, serves := strings.Cut(strings.TrimSpace(line), " on ")
	require.True(t, serves, line)
	p.url = address
	return p
}

// end waits for the process and returns its status and the rest of what it printed.
func (p *process) end(t *testing.T) (status int, printed string) {
	t.Helper()
	rest, err := io.ReadAll(p.stderr)
	require.NoError(t, err)
	_ = p.Wait()
	return p.ProcessState.ExitCode(), string(rest)
}

// A server that is asked to end in the middle of its work answers every request that it let in, and
// refuses the others.
func TestServeEndsWithoutLosingARequest(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			p := start(t, nil)
			transport := &http.Transport{MaxIdleConnsPerHost: 64}
			defer transport.CloseIdleConnections()
			client := &http.Client{Transport: transport}
			body := `{"model":"words","input":["` + strings.Repeat(`a text that is encoded","`, 31) + `the last of 32"]}`
			var answered, refused, asked atomic.Int64
			var unexpected sync.Map
			var group sync.WaitGroup
			for i := range 64 {
				group.Go(func() {
					for {
						asked.Add(1)
						response, err := client.Post(p.url+"/api/embed", "application/json", strings.NewReader(body))
						if err != nil {
							// Nobody listens any more. Anything else would be a request that was
							// lost.
							if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, syscall.ECONNRESET) {
								unexpected.Store(i, err)
							}
							return
						}
						content, err := io.ReadAll(response.Body)
						response.Body.Close()
						switch {
						case err != nil:
							unexpected.Store(i, err)
							return
						case response.StatusCode == http.StatusOK && strings.HasSuffix(string(content), "}\n"):
							answered.Add(1)
						case response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != "":
							refused.Add(1)
							return
						default:
							unexpected.Store(i, fmt.Sprint(response.StatusCode, " ", string(content)))
							return
						}
					}
				})
			}
			require.Eventually(t, func() bool { return answered.Load() > 100 }, time.Minute, time.Millisecond)
			require.NoError(t, p.Process.Signal(signal))
			status, printed := p.end(t)
			group.Wait()
			unexpected.Range(func(client, what any) bool {
				require.Fail(t, "a request was lost", "client %v: %v", client, what)
				return true
			})
			require.Equal(t, succeeded, status, printed)
			require.Equal(t, fmt.Sprintf("uform: ended: %d requests answered\n", answered.Load()), printed)
			require.Positive(t, refused.Load())
		})
	}
}

// A second signal does not wait.
func TestASecondSignalEndsAtOnce(t *testing.T) {
	p := start(t, nil)
	connection, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	require.NoError(t, err)
	defer connection.Close()
	_, err = io.WriteString(connection, "POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.Contains(get(t, p.url+"/metrics"), "\nuform_memory_bytes 4096\n") }, time.Minute, time.Millisecond)
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool { return get(t, p.url+"/healthz") == "draining\n" }, time.Minute, time.Millisecond)
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	p.end(t)
	require.Equal(t, syscall.SIGTERM, p.ProcessState.Sys().(syscall.WaitStatus).Signal())
}

func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	require.NoError(t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(content)
}

// Clients that flood the server, leave, send nothing or send nonsense do not disturb one that is
// patient, and leave no memory and no goroutine behind.
func TestServeUnderAFlood(t *testing.T) {
	p := start(t, nil, "--max-requests", "8", "--max-queue", "64", "--read-time", "300ms")
	before := gauge(t, p.url, "go_goroutines")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	client := &http.Client{Transport: transport}
	post := func(ctx context.Context, body string) (int, error) {
		request, err := http.NewRequestWithContext(ctx, "POST", p.url+"/embed", strings.NewReader(body))
		require.NoError(t, err)
		response, err := client.Do(request)
		if err != nil {
			return 0, err
		}
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
		return response.StatusCode, err
	}
	var statuses [600]atomic.Int64
	var served atomic.Int64
	var group sync.WaitGroup
	each := func(clients int, do func()) {
		for range clients {
			group.Go(func() {
				for ctx.Err() == nil {
					do()
				}
			})
		}
	}
	many := `{"inputs":["` + strings.Repeat(`all at once","`, 31) + `of them"]}`
	each(48, func() {
		if status, err := post(ctx, many); err == nil {
			statuses[status].Add(1)
		}
	})
	each(8, func() {
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		_, _ = post(short, many)
	})
	each(8, func() {
		connection, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		if err != nil {
			return
		}
		_, _ = io.WriteString(connection, "POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
		time.Sleep(10 * time.Millisecond)
		connection.Close()
	})
	each(4, func() { _, _ = post(ctx, `{"inputs":[1,`) })
	group.Go(func() {
		for ctx.Err() == nil {
			status, err := post(context.WithoutCancel(ctx), `{"inputs":"patience"}`)
			if err == nil && status == http.StatusOK {
				served.Add(1)
			} else {
				time.Sleep(time.Millisecond) // as Retry-After asks, but sooner
			}
		}
	})
	group.Wait()
	require.Positive(t, served.Load())
	require.Positive(t, statuses[http.StatusOK].Load())
	require.Positive(t, statuses[http.StatusTooManyRequests].Load())
	for status := range statuses {
		if count := statuses[status].Load(); status != http.StatusOK && status != http.StatusTooManyRequests {
			require.Zero(t, count, status)
		}
	}
	transport.CloseIdleConnections()
	for name, most := range map[string]float64{
		"uform_memory_bytes": 0, "uform_requests_in_flight": 0, `uform_queue_items{model="words"}`: 0, "go_goroutines": before + 4,
	} {
		require.Eventually(t, func() bool { return gauge(t, p.url, name) <= most }, time.Minute, 10*time.Millisecond, name)
	}
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	status, printed := p.end(t)
	require.Equal(t, succeeded, status, printed)
}

// gauge is the value of a metric of a server.
func gauge(t *testing.T, url, name string) (value float64) {
	t.Helper()
	_, after, found := strings.Cut(get(t, url+"/metrics"), "\n"+name+" ")
	require.True(t, found, name)
	_, err := fmt.Sscan(after, &value)
	require.NoError(t, err)
	return value
}

// Flags that cannot serve are refused before anything is served.
func TestServeRefuses(t *testing.T) {
	t.Setenv(keyVariable, "")
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty")
	require.NoError(t, os.WriteFile(empty, []byte("\n"), 0o600))
	for name, row := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"everybody without a key": {[]string{"--listen", "0.0.0.0:0"}, misused, "reached by other machines"},
		"no keys in the file":     {[]string{"--key-file", empty}, failed, "has no keys"},
		"no file of keys":         {[]string{"--key-file", filepath.Join(folder, "absent")}, failed, "absent"},
		"no index":                {[]string{"--listen", "127.0.0.1:0", "--index", filepath.Join(folder, "absent")}, failed, "absent"},
		"a name twice":            {[]string{"--listen", "127.0.0.1:0", "--model", "a=words", "--model", "a=mini"}, failed, `"a"`},
		"an address":              {[]string{"--listen", "nowhere"}, failed, "nowhere"},
	} {
		status, _, err := running(t.Context(), append([]string{"serve"}, row.args...)...)
		require.Equal(t, row.status, status, name)
		require.Contains(t, err, row.says, name)
		require.Equal(t, 1, strings.Count(err, "\n"), "%s: %s", name, err)
	}
}

// Keys of the environment and of a file are both keys, and models have the names that they are
// given.
func TestServeWithKeysAndNames(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(keys, []byte("second\n\nthird\n"), 0o600))
	p := start(t, []string{keyVariable + "=first"}, "--key-file", keys, "--model", "text-embedding-3-small=mini")
	for key, status := range map[string]int{"first": 200, "second": 200, "third": 200, "": 401, "fourth": 401} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", p.url+"/v1/models/text-embedding-3-small", nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+key)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		response.Body.Close()
		require.Equal(t, status, response.StatusCode, key)
	}
	require.NoError(t, p.Process.Signal(syscall.SIGINT))
	status, _ := p.end(t)
	require.Equal(t, succeeded, status)
}

// What search has made is searched by the page, by the model that made it.
func TestServeAnIndexOfSearch(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "notes.txt", "prices are falling\na cat sleeps on the sofa\nmusic is played\n")
	done(t, folder, "", "search", "add", "--model", "mini", "notes.index", "notes.txt")
	index := filepath.Join(folder, "notes.index")

	p := start(t, nil, "--index", index)
	require.Contains(t, get(t, p.url+"/v1/models"), `"id":"mini"`, "the model of the index is the default")
	response, err := http.Post(p.url+"/search", "application/json", strings.NewReader(`{"query":"a cat sleeps on the sofa","k":2}`))
	require.NoError(t, err)
	defer response.Body.Close()
	var got struct {
		Matches []struct {
			Score      float64
			Item, Text string
		}
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&got))
	require.Len(t, got.Matches, 2)
	require.InDelta(t, 1, got.Matches[0].Score, 1e-6)
	require.Equal(t, "notes.txt:2", got.Matches[0].Item)
	require.Equal(t, "a cat sleeps on the sofa", got.Matches[0].Text)
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	status, _ := p.end(t)
	require.Zero(t, status)

	for name, c := range map[string]struct {
		flags  []string
		quotes string
	}{
		"another model first": {[]string{"--model", "words", "--model", "mini"}, "was made by the model mini: name that one first"},
		"another scalar":      {[]string{"--scalar", "i8"}, "leave out --scalar"},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, said := ended(t, folder, "", append([]string{"serve", "--listen", "127.0.0.1:0", "--index", index}, c.flags...)...)
			require.Equal(t, failed, status)
			require.Contains(t, said, c.quotes)
		})
	}
}

// Tokens of a folder's model are its tokenizer's.
func TestServeCountsTokens(t *testing.T) {
	folder, _ := foldertest.Copy(t, filepath.Join("..", "..", "internal", "folder", "testdata"), "bert")
	p := start(t, nil, "--model", "one="+folder, "--model", "words", "--library", "embedded")
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	require.NoError(t, err)
	model, err := library.Load(t.Context(), folder, nil)
	require.NoError(t, err)
	defer model.Close()
	texts := []string{"the sea", "boats in the harbour, and the sea"}
	want := 0
	for _, text := range texts {
		tokens, err := model.Tokens(text, nil)
		require.NoError(t, err)
		want += tokens
	}
	for name, want := range map[string]int{"one": want, "words": len(texts[0]) + len(texts[1])} {
		response, err := http.Post(p.url+"/v1/embeddings", "application/json", strings.NewReader(fmt.Sprintf(`{"model":%q,"input":[%q,%q]}`, name, texts[0], texts[1])))
		require.NoError(t, err)
		var got struct {
			Usage struct {
				Prompt int `json:"prompt_tokens"`
			}
		}
		require.NoError(t, json.NewDecoder(response.Body).Decode(&got))
		require.NoError(t, response.Body.Close())
		require.Equal(t, want, got.Usage.Prompt, name)
	}
}
