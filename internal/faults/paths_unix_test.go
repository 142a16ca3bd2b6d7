//go:build unix

package faults_test

import (
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// A path that is not a regular file is refused at once wherever a file is opened or replaced, and
// is not changed.
func TestPathsThatAreNoRegularFiles(t *testing.T) {
	folder, err := os.MkdirTemp("", "") // a socket's path is short
	require.NoError(t, err)
	defer os.RemoveAll(folder)
	pipe, socket := filepath.Join(folder, "pipe"), filepath.Join(folder, "socket")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer listener.Close()
	zeroes := filepath.Join(folder, "zeroes") // a link, so that a failure cannot replace the device
	require.NoError(t, os.Symlink("/dev/zero", zeroes))
	inside := filepath.Join(folder, "folder")
	require.NoError(t, os.Mkdir(inside, 0o700))

	eachLibrary(t, func(t *testing.T, library *uform.Library) {
		b := newBench(t, library, nil)
		want := b.texts(t)
		trainer, err := library.NewTrainerBytes(background, mini.Checkpoint(), b.executor, nil)
		require.NoError(t, err)
		defer trainer.Close()
		for _, path := range []string{pipe, socket, zeroes, inside} {
			t.Run(filepath.Base(path), func(t *testing.T) {
				mode := func() fs.FileMode {
					info, err := os.Lstat(path)
					require.NoError(t, err)
					return info.Mode()
				}
				before := mode()
				_, loading := library.Load(background, path, nil)
				_, onExecutor := library.Load(background, path, &uform.LoadOptions{Executor: b.executor})
				_, ofSystem := library.LoadFS(background, os.DirFS(folder), filepath.Base(path), nil)
				_, starting := library.NewTrainer(background, path, b.executor, nil)
				_, reading := uform.Files(path)
				saving := trainer.On(b.executor).Save(background, path, nil)
				saved, err := trainer.Deferred(b.executor).Save(background, path, nil)
				if err == nil {
					_, err = saved.Wait(background)
				}
				loads := map[string]error{
					"load": loading, "load on an executor": onExecutor, "load of a file system": ofSystem, "train": starting,
				}
				others := map[string]error{"read": reading, "save": saving, "save, deferred": err}
				if path == inside { // which might have been a model
					for verb, err := range loads {
						if verb == "train" || library.Table().ModelLoadFS == nil {
							require.ErrorIs(t, err, uform.ErrUnsupported, verb)
						} else {
							require.ErrorIs(t, err, uform.ErrIO, verb)
							require.ErrorContains(t, err, "config.json", verb)
						}
					}
				} else {
					maps.Copy(others, loads)
				}
				for verb, err := range others {
					require.ErrorIs(t, err, uform.ErrIO, verb)
					require.ErrorContains(t, err, "not a regular file", verb)
				}
				for verb, err := range map[string]error{"load": loading, "train": starting} {
					require.ErrorContains(t, err, path, verb)
				}
				_, opening := uform.Open(&uform.OpenOptions{Path: path})
				if library.Table().ModelLoadBytes == nil { // a build that loads shared libraries
					require.ErrorIs(t, opening, uform.ErrLibraryMissing)
					require.ErrorContains(t, opening, "not a regular file")
				}
				require.Equal(t, before, mode())
				require.Equal(t, want, b.texts(t))
			})
		}
	})
}

// Neither is such a file of a folder, which is not waited for either.
func TestFoldersOfNoRegularFiles(t *testing.T) {
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	require.NoError(t, err)
	for _, name := range []string{"config.json", "model.safetensors", "tokenizer.json", "modules.json"} {
		folder := t.TempDir()
		require.NoError(t, os.CopyFS(folder, os.DirFS("../folder/testdata/bert")))
		require.NoError(t, os.Remove(filepath.Join(folder, name)))
		require.NoError(t, unix.Mkfifo(filepath.Join(folder, name), 0o600))
		_, ofPath := library.Load(background, folder, nil)
		_, ofSystem := library.LoadFS(background, os.DirFS(filepath.Dir(folder)), filepath.Base(folder), nil)
		for _, err := range []error{ofPath, ofSystem} {
			require.Error(t, err)
			require.ErrorContains(t, err, name)
		}
	}
}
