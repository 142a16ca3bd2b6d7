package teacher_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/ci/textmodel/teacher"
)

func TestX(t *testing.T) {
	m, err := teacher.Open(os.Getenv("TEACHER"))
	require.NoError(t, err)
	texts := []string{"A plane is taking off.", "An air plane is taking off.", "", "日本 déjà vu", "How do I reactivate my card?"}
	v := make([]float32, len(texts)*512)
	m.Embed(v, texts)
	for i := range texts { t.Log(texts[i], v[i*512:i*512+6]) }
}
