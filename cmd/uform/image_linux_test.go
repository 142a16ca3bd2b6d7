package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestImage builds the program with the command of the Dockerfile and runs the Dockerfile's command
// as its user in a root that has nothing else.
func TestImage(t *testing.T) {
	if testing.Short() || os.Getuid() != 0 {
		t.Skip("it compiles the program, and needs root to change the root folder")
	}
	content, err := os.ReadFile("Dockerfile")
	require.NoError(t, err)
	field := func(name string) string {
		found := regexp.MustCompile(`(?m)^` + name + ` (.*)$`).FindStringSubmatch(string(content))
		require.NotNil(t, found, name)
		return found[1]
	}
	root := t.TempDir()
	require.NoError(t, os.Chmod(root, 0o755))
	build := exec.Command("sh", "-c", strings.Replace(field("RUN"), "-o /uform", "-o "+filepath.Join(root, "uform"), 1))
	build.Dir = "../.."
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	var entry, arguments []string
	require.NoError(t, json.Unmarshal([]byte(field("ENTRYPOINT")), &entry))
	require.NoError(t, json.Unmarshal([]byte(field("CMD")), &arguments))
	require.Equal(t, "0.0.0.0:8600", arguments[len(arguments)-1])
	arguments[len(arguments)-1] = "127.0.0.1:0" // the port may be taken here
	require.Equal(t, "65534:65534", field("USER"))

	command := exec.Command(entry[0], arguments...)
	command.Dir = "/"
	command.Env = []string{keyVariable + "=secret"}
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	stderr, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	defer func() { _ = command.Process.Kill() }()
	reader := bufio.NewReader(stderr)
	line, err := reader.ReadString('\n')
	require.NoError(t, err)
	_, address, found := strings.Cut(strings.TrimSpace(line), " on ")
	require.True(t, found, line)
	request, err := http.NewRequestWithContext(t.Context(), "POST", address+"/v1/embeddings", strings.NewReader(`{"model":"words","input":"a cat"}`))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer secret")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, 200, response.StatusCode, string(answer))
	require.NoError(t, command.Process.Signal(syscall.SIGTERM))
	rest, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, "uform: ended: 1 requests answered\n", string(rest))
	require.NoError(t, command.Wait())
}
