package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// newRoot returns the program's command with all others below it.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "uform",
		Short:         "Embeddings of texts, images and recordings",
		Long:          "uform turns texts, images, videos and recordings into vectors.",
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	root.AddCommand(newServe(), newMan())
	markMisuse(root)
	return root
}

// markMisuse makes every error of flags and arguments a [misuse] that names the help to read.
func markMisuse(command *cobra.Command) {
	command.SetFlagErrorFunc(usage)
	if check := command.Args; check != nil {
		command.Args = func(command *cobra.Command, args []string) error {
			if err := check(command, args); err != nil {
				return usage(command, err)
			}
			return nil
		}
	}
	for _, below := range command.Commands() {
		markMisuse(below)
	}
}

// usage makes err a misuse of a command.
func usage(command *cobra.Command, err error) error {
	return misuse{fmt.Errorf("%w (see %s --help)", err, command.CommandPath())}
}

// version is the module's version and the commit, as far as the build recorded them.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version := info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && version == "(devel)" {
			version += " " + setting.Value
		}
	}
	return version
}
