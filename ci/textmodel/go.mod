module github.com/unum-cloud/uform-go/ci/textmodel

go 1.26.0

require (
	github.com/stretchr/testify v1.12.1
	github.com/unum-cloud/uform-go v0.0.0
)

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/jfreymuth/vorbis v1.0.2 // indirect
	github.com/pion/opus v0.1.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/image v0.48.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/unum-cloud/uform-go => ../..
