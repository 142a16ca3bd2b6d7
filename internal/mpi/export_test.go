package mpi

// Find is the path of the library that this process would join a run with, which is loaded and not
// begun.
func Find() (string, error) {
	by, err := launched()
	if err != nil {
		return "", err
	}
	found, err := by.find()
	if err != nil {
		return "", err
	}
	return found.path, nil
}
