module github.com/unum-cloud/uform-go

go 1.26.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/jfreymuth/vorbis v1.0.2
	github.com/pion/opus v0.1.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/image v0.48.0
	golang.org/x/sys v0.50.0
	golang.org/x/text v0.44.0
	pgregory.net/rapid v1.3.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect
