module github.com/unum-cloud/uform-go/ci/textmodel

go 1.26.0

require (
	github.com/stretchr/testify v1.12.1
	github.com/unum-cloud/uform-go v0.0.0
	golang.org/x/text v0.43.0
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/unum-cloud/uform-go => ../..
