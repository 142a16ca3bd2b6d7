// Command load measures "uform serve" beside a bare pool in the same run:
//
//	go run -C cmd/uform ./load
//
// So many clients send texts in batches, each over a connection of this machine, to a server that
// is a process of its own; each answer is compared with the vectors that the model gives. In turns
// with that, as many goroutines ask a [uform.Pool] for the same. It prints throughput, latencies,
// processor time, the memory of the server as it went, and fails where an answer was lost or wrong.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

// setting is what is measured: so many clients, of which each asks for a batch of lines of a file.
type setting struct {
	clients, batch        int
	model, corpus, format string
	length, turn          time.Duration
}

func main() {
	var s setting
	flag.IntVar(&s.clients, "clients", 64, "how many clients ask at once")
	flag.IntVar(&s.batch, "batch", 32, "how many texts each request has")
	flag.StringVar(&s.model, "model", "", "the checkpoint or the folder of a model; by default words, which the program has")
	flag.DurationVar(&s.length, "time", time.Minute, "how long the server is asked")
	flag.DurationVar(&s.turn, "turn", 5*time.Second, "how long the server, then the pool, is asked in turns")
	flag.StringVar(&s.corpus, "texts", "../../examples/search/corpus.txt", "the file of lines to encode")
	flag.StringVar(&s.format, "format", "base64", "the format of vectors: base64, which OpenAI's client asks for, or float")
	flag.Parse()
	if err := s.run(); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func (s *setting) run() error {
	content, err := os.ReadFile(s.corpus)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	texts := make([][]string, s.clients)
	for i := range texts {
		for k := range s.batch {
			texts[i] = append(texts[i], lines[(i*7+k)%len(lines)])
		}
	}
	served, err := start(s)
	if err != nil {
		return err
	}
	defer served.kill()
	asking, err := served.clients(texts, s.format)
	if err != nil {
		return err
	}
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		return err
	}
	model, err := s.load(library)
	if err != nil {
		return err
	}
	defer model.Close()
	pool, err := uform.NewPool(model, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	bare := func(client int) error {
		_, err := pool.Embed(context.Background(), texts[client])
		return err
	}
	own := func() float64 { return processor(os.Getpid()) }
	inServer := func() float64 { return processor(served.Process.Pid) }

	var server, alone measured
	fmt.Printf("%d clients, %d texts a request, vectors as %s, turns of %v\n\n", s.clients, s.batch, s.format, s.turn)
	fmt.Println("  seconds  server MB")
	for server.took < s.length {
		if err := server.measure(s.clients, s.turn, asking, inServer); err != nil {
			return err
		}
		if err := alone.measure(s.clients, s.turn, bare, own); err != nil {
			return err
		}
		fmt.Printf("%9.0f %10.1f\n", server.took.Seconds(), resident(served.Process.Pid))
	}
	fmt.Printf("\n%-8s %10s %12s %10s %10s %22s\n", "", "requests", "texts/s", "p50", "p99", "processor µs a text")
	for name, m := range map[string]*measured{"server": &server, "pool": &alone} {
		fmt.Printf("%-8s %10d %12.0f %10v %10v %22.1f\n", name, len(m.latencies), m.perSecond(s.batch), m.quantile(0.5), m.quantile(0.99), m.processor/float64(len(m.latencies)*s.batch)*1e6)
	}
	fmt.Printf("\nthe server has %.0f %% of the pool's throughput, and each text takes it %.0f %% of the pool's processor time\n",
		100*server.perSecond(s.batch)/alone.perSecond(s.batch),
		100*(server.processor/float64(len(server.latencies)))/(alone.processor/float64(len(alone.latencies))))
	return served.end(len(server.latencies) + s.clients)
}

func (s *setting) load(library *uform.Library) (*uform.Model, error) {
	if s.model == "" {
		return words.Load(context.Background(), library, nil)
	}
	return library.Load(context.Background(), s.model, nil)
}

// measured is what came of asking for some time.
type measured struct {
	took      time.Duration
	latencies []time.Duration
	processor float64 // in seconds
}

// measure asks with all clients for some time, and adds what came of it.
func (m *measured) measure(clients int, length time.Duration, ask func(client int) error, processor func() float64) error {
	var group sync.WaitGroup
	var mutex sync.Mutex
	var failed atomic.Pointer[error]
	before, began := processor(), time.Now()
	for client := range clients {
		group.Go(func() {
			var latencies []time.Duration
			for time.Since(began) < length && failed.Load() == nil {
				start := time.Now()
				if err := ask(client); err != nil {
					failed.Store(&err)
					return
				}
				latencies = append(latencies, time.Since(start))
			}
			mutex.Lock()
			defer mutex.Unlock()
			m.latencies = append(m.latencies, latencies...)
		})
	}
	group.Wait()
	m.took += time.Since(began)
	m.processor += processor() - before
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (m *measured) perSecond(batch int) float64 {
	return float64(len(m.latencies)*batch) / m.took.Seconds()
}

func (m *measured) quantile(q float64) time.Duration {
	slices.Sort(m.latencies)
	return m.latencies[int(math.Ceil(q*float64(len(m.latencies))))-1].Round(100 * time.Microsecond)
}

// server is the program, serving.
type server struct {
	*exec.Cmd
	url    string
	stderr *bufio.Reader
	folder string
}

// start builds the program and starts it with room for the clients.
func start(load *setting) (*server, error) {
	folder, err := os.MkdirTemp("", "uform-load")
	if err != nil {
		return nil, err
	}
	s := &server{folder: folder}
	path := filepath.Join(folder, "uform")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	s.Cmd = exec.Command(path, "serve", "--listen", "127.0.0.1:0", "--library", "embedded", "--model", "loaded="+cmp.Or(load.model, "words"),
		"--max-requests", fmt.Sprint(2*load.clients), "--max-queue", fmt.Sprint(2*load.clients*load.batch))
	stderr, err := s.StderrPipe()
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	s.stderr = bufio.NewReader(stderr)
	line, err := s.stderr.ReadString('\n')
	_, address, found := strings.Cut(strings.TrimSpace(line), " on ")
	if !found {
		s.kill()
		return nil, fmt.Errorf("the server did not start: %s: %w", line, err)
	}
	s.url = address
	return s, nil
}

func (s *server) kill() {
	_ = s.Process.Kill()
	_ = s.Wait()
	_ = os.RemoveAll(s.folder)
}

// clients returns what a client does: it asks for its texts, and compares the answer with its
// first. Each has a connection of its own and does no more than it must, since it shares the
// processors with the server.
func (s *server) clients(texts [][]string, format string) (func(client int) error, error) {
	address := strings.TrimPrefix(s.url, "http://")
	connections := make([]*connection, len(texts))
	wants := make([][]byte, len(texts))
	for i, batch := range texts {
		body := fmt.Sprintf(`{"model":"loaded","encoding_format":%q,"input":["%s"]}`, format, strings.Join(batch, `","`))
		request := fmt.Sprintf("POST /v1/embeddings HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", address, len(body), body)
		opened, err := net.Dial("tcp", address)
		if err != nil {
			return nil, err
		}
		connections[i] = &connection{Conn: opened, request: []byte(request), reader: bufio.NewReaderSize(opened, 1<<16)}
		first, err := connections[i].ask()
		if err != nil {
			return nil, err
		}
		wants[i] = bytes.Clone(first)
	}
	return func(client int) error {
		answer, err := connections[client].ask()
		if err == nil && !bytes.Equal(answer, wants[client]) {
			err = fmt.Errorf("client %d got another answer than before", client)
		}
		return err
	}, nil
}

// connection is a client that sends one request again and again.
type connection struct {
	net.Conn
	request []byte
	reader  *bufio.Reader
	answer  []byte
}

// ask sends the request, and returns the body of the answer, valid until the next call.
func (c *connection) ask() ([]byte, error) {
	if _, err := c.Write(c.request); err != nil {
		return nil, err
	}
	status, err := c.reader.ReadString('\n')
	if err != nil {
		return nil, err
	}
	header, err := textproto.NewReader(c.reader).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return nil, err
	}
	c.answer = slices.Grow(c.answer[:0], length)[:length]
	if _, err := io.ReadFull(c.reader, c.answer); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200 ") {
		return nil, fmt.Errorf("%s: %s", strings.TrimSpace(status), c.answer)
	}
	return c.answer, nil
}

// end asks the server to end, and checks how many requests it counted.
func (s *server) end(requests int) error {
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	rest, err := io.ReadAll(s.stderr)
	if err != nil {
		return err
	}
	if want := fmt.Sprintf("uform: ended: %d requests answered\n", requests); string(rest) != want {
		return fmt.Errorf("the server said %q, and not %q", rest, want)
	}
	fmt.Printf("none lost: the clients got %d answers, and the server gave as many\n", requests)
	return nil
}
