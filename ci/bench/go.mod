module github.com/unum-cloud/uform-go/ci/bench

go 1.26.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/gomlx/gomlx v0.26.0
	github.com/stretchr/testify v1.12.1
	github.com/unum-cloud/uform-go v0.0.0
	golang.org/x/sys v0.50.0
	gonum.org/v1/gonum v0.16.0
)

require (
	github.com/dustin/go-humanize v1.0.1 // indirect
	github.com/go-logr/logr v1.4.3 // indirect
	github.com/jfreymuth/vorbis v1.0.2 // indirect
	github.com/pion/opus v0.1.0 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/exp v0.0.0-20250819193227-8b4c13bb791b // indirect
	golang.org/x/image v0.48.0 // indirect
	k8s.io/klog/v2 v2.130.1 // indirect
)

replace github.com/unum-cloud/uform-go => ../..
