package platform

import "golang.org/x/sys/windows"

// LibraryNames returns the file names of libuform on this system, in the order to try.
func LibraryNames() []string { return []string{"uform.dll", "libuform.dll"} }

func programPlaces() []string {
	if folder := programFolder(); folder != "" {
		return []string{folder}
	}
	return nil
}

func systemPlaces() []string {
	folder, err := windows.GetSystemDirectory()
	if err != nil {
		return nil
	}
	return []string{folder}
}
