package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unum-cloud/uform-go/cmd/uform/internal/collection"
	"github.com/unum-cloud/uform-go/cmd/uform/internal/server"
	"github.com/unum-cloud/uform-go/uform"
)

// serving are the flags of serve.
type serving struct {
	opening
	listen  string
	models  []string
	named   bool // whether the models are those that the user named
	index   string
	keyFile string
	noKey   bool
	options server.Options
}

// keyVariable is the environment variable that may have the key.
const keyVariable = "UFORM_KEY"

// newServe returns the command that serves models over HTTP.
func newServe() *cobra.Command {
	s := new(serving)
	command := &cobra.Command{
		Use:   "serve",
		Short: "Serve embeddings over HTTP, as OpenAI, Ollama and text-embeddings-inference do",
		Long: "serve answers /v1/embeddings as OpenAI does, /api/embed and /api/embeddings as Ollama, and /embed\n" +
			"as text-embeddings-inference. It has a page at /, metrics at /metrics and its health at /healthz.\n\n" +
			"A key comes from a file of keys, one a line, or from the environment variable " + keyVariable + ". Without\n" +
			"one the server listens to this machine alone, unless --no-key says that everybody may use it.\n\n" +
			"SIGTERM, or Ctrl-C, ends it: new requests get 503, and those under way are answered first.",
		Example: "  uform serve\n" +
			"  uform serve --model words --model mine=trained.safetensors\n" +
			"  " + keyVariable + "=secret uform serve --listen 0.0.0.0:8600",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			s.named = command.Flags().Changed("model")
			return s.run(command.Context(), command.ErrOrStderr())
		},
	}
	flags, defaults := command.Flags(), server.Defaults()
	flags.StringVar(&s.listen, "listen", "127.0.0.1:8600", "the `address` to listen to")
	flags.StringArrayVar(&s.models, "model", []string{"words"}, modelUsage+"; more than once, and as name=model to name it")
	flags.StringVar(&s.index, "index", "", "what the page's search box searches: an index that uform search made by the first model, or a `file` of lines, which that embeds")
	flags.StringVar(&s.keyFile, "key-file", "", "a `file` of keys, one a line, of which a client must send one")
	flags.BoolVar(&s.noKey, "no-key", false, "serve everybody who reaches the address")
	s.addFlags(flags)
	limits := &s.options.Limits
	flags.IntVar(&s.options.Workers, "threads", 0, "how many calls run at once for each model; by default one for each core")
	flags.IntVar(&limits.Batch, "batch", defaults.Batch, "the most texts in one call of the encoder")
	flags.Int64Var(&limits.Body, "max-body", defaults.Body, "the largest body, in `bytes`")
	flags.IntVar(&limits.Items, "max-items", defaults.Items, "the most items in a request")
	flags.IntVar(&limits.Requests, "max-requests", defaults.Requests, "the most requests that are worked on at once")
	flags.IntVar(&limits.Queue, "max-queue", defaults.Queue, "the most items that wait for a model")
	flags.Int64Var(&limits.Memory, "max-memory", defaults.Memory, "the most memory of bodies and answers, in `bytes`")
	flags.DurationVar(&limits.Header, "header-time", defaults.Header, "how long a client may take to send the header")
	flags.DurationVar(&limits.Read, "read-time", defaults.Read, "how long a client may take to send the body")
	flags.DurationVar(&limits.Write, "write-time", defaults.Write, "how long a client may take to receive the answer")
	flags.DurationVar(&limits.Drain, "drain-time", defaults.Drain, "how long requests under way may take at the end")
	completeModel(command, "model")
	return command
}

// run serves until ctx ends and the requests under way are answered. Its notes go to stderr.
func (s *serving) run(ctx context.Context, stderr io.Writer) (err error) {
	if s.options.Keys, err = s.keys(); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	local := isLoopback(listener.Addr())
	if !local && len(s.options.Keys) == 0 && !s.noKey {
		return misuse{fmt.Errorf("%s is reached by other machines: set a key by %s or --key-file, or let everybody in by --no-key", s.listen, keyVariable)}
	}
	s.options.LocalHost = local && len(s.options.Keys) == 0
	s.options.Version = version()
	s.options.Log = slog.New(slog.NewTextHandler(stderr, nil))
	models, err := s.load(ctx)
	defer func() {
		if index := s.options.Index; index != nil {
			err = errors.Join(err, index.Close())
		}
		for _, named := range models {
			err = errors.Join(err, named.Model.Close())
		}
	}()
	if err != nil {
		return err
	}
	serving, err := server.New(models, &s.options)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "uform: serving %s on http://%s\n", names(models), listener.Addr())
	err = serving.Serve(ctx, listener)
	if err == nil {
		err = serving.Close()
	}
	fmt.Fprintf(stderr, "uform: ended: %d requests answered\n", serving.Answered())
	return err
}

// load loads the models, and the index by the first of them. It returns those that it loaded, also
// with an error.
func (s *serving) load(ctx context.Context) (models []server.Named, err error) {
	opened, err := s.collection()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil && opened != nil {
			err = errors.Join(err, opened.Close())
		}
	}()
	library, err := s.open()
	if err != nil {
		return nil, err
	}
	for _, flag := range s.models {
		name, from := splitName(flag)
		model, err := s.opening.load(ctx, library, from)
		if err != nil {
			return models, err
		}
		models = append(models, server.Named{Name: name, Model: model})
	}
	if s.index == "" {
		return models, nil
	}
	if opened != nil {
		s.options.Index, err = server.OpenIndex(ctx, models[0].Model, opened)
	} else {
		var content []byte
		if content, err = os.ReadFile(s.index); err != nil {
			return models, err
		}
		s.options.Index, err = server.NewIndex(ctx, models[0].Model, lines(string(content)))
	}
	if err != nil {
		return models, fmt.Errorf("--index %s: %w", s.index, err)
	}
	return models, nil
}

// collection opens the index that uform search made, nil if --index is none. The first model must
// be the one that made it, with the same kind of weights, and is that one by default.
func (s *serving) collection() (*collection.Collection, error) {
	if s.index == "" || !collection.Exists(s.index) {
		return nil, nil
	}
	opened, err := collection.Open(s.index)
	if err != nil {
		return nil, err
	}
	if !s.named {
		s.models = []string{opened.Model}
	}
	_, from := splitName(s.models[0])
	scalar := uform.Scalar(s.scalar)
	switch {
	case absolute(from) != opened.Model:
		err = fmt.Errorf("--index %s was made by the model %s: name that one first", s.index, opened.Model)
	case scalar == 0 && opened.Scalar != "":
		err = s.scalar.Set(opened.Scalar)
	case scalar != 0 && s.scalar.String() != opened.Scalar:
		err = fmt.Errorf("--index %s was made with --scalar %q: leave out --scalar", s.index, opened.Scalar)
	}
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}

// splitName splits name=model. A model without a name has that of its file or folder.
func splitName(flag string) (name, from string) {
	if name, from, named := strings.Cut(flag, "="); named {
		return name, from
	}
	base := filepath.Base(flag)
	return strings.TrimSuffix(base, filepath.Ext(base)), flag
}

func names(models []server.Named) string {
	var all []string
	for _, named := range models {
		all = append(all, named.Name)
	}
	return strings.Join(all, ", ")
}

// keys are the keys of the file and of the environment.
func (s *serving) keys() (keys []string, err error) {
	if key := os.Getenv(keyVariable); key != "" {
		keys = append(keys, key)
	}
	if s.keyFile == "" {
		return keys, nil
	}
	content, err := os.ReadFile(s.keyFile)
	if err != nil {
		return nil, err
	}
	inFile := lines(string(content))
	if len(inFile) == 0 {
		return nil, fmt.Errorf("%s: the file has no keys: write one on each line", s.keyFile)
	}
	return append(keys, inFile...), nil
}

// lines are the lines of a text that are not blank, without the white space around them.
func lines(text string) (all []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// isLoopback reports whether only this machine reaches an address.
func isLoopback(address net.Addr) bool {
	parsed, err := netip.ParseAddrPort(address.String())
	return err == nil && parsed.Addr().Unmap().IsLoopback()
}
