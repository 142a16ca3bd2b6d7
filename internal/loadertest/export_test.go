package loadertest

// BuildLibrary is Library without its memory.
var BuildLibrary = buildLibrary

// TryCompiler tells whether a command makes libraries for the running system.
func TryCompiler(command ...string) error {
	_, err := tryCompiler(command)
	return err
}

// Hash is the key of the library whose sources lie under root, built by a compiler of that
// identity.
func Hash(identity, root string) (string, error) {
	return hash(compiler{identity: identity}, root)
}
