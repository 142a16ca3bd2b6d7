package engine

import (
	stderrors "errors"
	"fmt"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/internal/model"
)

// folderScratch is the working memory of a goroutine for models of folders.
type folderScratch struct{ model.Scratch }

func openFolder(folderSource, abi.Scalar, func(done, total uint64) bool) (folderModel, error) {
	return nil, fmt.Errorf("this build loads no folders: %w", stderrors.ErrUnsupported)
}
