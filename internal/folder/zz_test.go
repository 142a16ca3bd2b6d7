package folder_test

import (
	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/platform"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

type mapped struct {
	fs.FS
	root string
}

func (m mapped) Map(name string) ([]byte, error) {
	mapping, err := platform.MapFile(filepath.Join(m.root, name))
	if err != nil {
		return nil, err
	}
	return mapping.Bytes(), nil
}

func BenchmarkOpen(b *testing.B) {
	root := "/tmp/models/all-MiniLM-L6-v2"
	for b.Loop() {
		if _, err := folder.Open(mapped{os.DirFS(root), root}, nil); err != nil {
			b.Fatal(err)
		}
	}
}
