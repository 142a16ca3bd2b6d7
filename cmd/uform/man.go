package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan returns the command that writes the manual pages.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man [folder]",
		Short: "Print the manual page, or write the pages of all commands into a folder",
		Long: "man prints the manual page of uform, or writes that of each command into a folder. The pages are\n" +
			"dated by SOURCE_DATE_EPOCH where it is set, else by today.",
		Example: "  uform man | man -l -\n" +
			"  uform man /usr/local/share/man/man1",
		Args: cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			header := &doc.GenManHeader{Title: "UFORM", Section: "1", Source: "uform " + command.Root().Version}
			command.Root().DisableAutoGenTag = true
			if len(args) == 0 {
				return doc.GenMan(command.Root(), header, command.OutOrStdout())
			}
			return doc.GenManTree(command.Root(), header, args[0])
		},
	}
}
