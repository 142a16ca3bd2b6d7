package contract_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fact is one line of the contract, with the functions that test it.
type fact struct {
	id, words string
	// table tests it on the table of entry points, api through package uform.
	table func(*seam)
	api   func(*user)
	// absent has the reason for each implementation that cannot have the fact.
	absent reasons
}

// reasons are keyed by the names of implementations.
type reasons map[string]string

// facts is the whole contract.
var facts = slices.Concat(
	ownershipFacts, arenaFacts, placementFacts, lifetimeFacts,
	interfaceFacts, layoutFacts,
	promiseFacts,
	receiverFacts, deferredFacts, progressFacts,
	verbFacts,
	decisionFacts, refusalFacts, roundingFacts,
	folderFacts,
)

// sections are the numbers of facts that the contract has for each letter.
var sections = []struct {
	letter string
	facts  int
}{{"A", 33}, {"B", 17}, {"P", 12}, {"R", 20}, {"V", 15}, {"D", 14}, {"F", 10}}

// answerable are the facts that the binding could keep by itself, so that they are also tested on
// the table.
var answerable = strings.Fields("A12 A13 A14 A15 A16 A17 A18 A19 A25 A27 A28 A31")

func TestEveryFactIsRegistered(t *testing.T) {
	registered := map[string]fact{}
	for _, f := range facts {
		require.NotContains(t, registered, f.id, "registered twice")
		registered[f.id] = f
	}
	count := 0
	for _, section := range sections {
		for number := range section.facts {
			id := fmt.Sprintf("%s%02d", section.letter, number+1)
			require.Contains(t, registered, id, "no test for this fact")
			count++
		}
	}
	require.Len(t, facts, count, "a fact that the contract does not list")
	for _, f := range facts {
		require.Regexp(t, regexp.MustCompile(`^[a-z0-9_]+$`), f.words, f.id)
		require.True(t, f.table != nil || f.api != nil || len(f.absent) == len(openers), "%s has no test", f.id)
		for name, reason := range f.absent {
			require.Contains(t, names(), name, f.id)
			require.NotEmpty(t, reason, f.id)
		}
		if slices.Contains(answerable, f.id) {
			require.NotNil(t, f.table, f.id)
			require.NotNil(t, f.api, f.id)
		}
	}
}

func TestContract(t *testing.T) {
	var report []string
	for _, opener := range openers {
		t.Run(opener.name, func(t *testing.T) {
			on, missing := opener.open(t)
			if missing != "" {
				t.Log("not run: " + missing)
				report = append(report, opener.name+": not run, "+missing)
				return
			}
			on.name = opener.name
			counts := map[verdict]int{}
			for _, f := range facts {
				t.Run(f.id+"_"+f.words, func(t *testing.T) { counts[f.show(t, on)]++ })
			}
			report = append(report, fmt.Sprintf("%s: %d held, %d n/a, %d violated", on.name, counts[held], counts[absent], counts[violated]))
		})
	}
	t.Log("the contract\n" + strings.Join(report, "\n"))
}

// verdict is the result of a fact on an implementation.
type verdict int

const (
	// violated is the zero value, which a test that ends early leaves.
	violated verdict = iota
	held
	absent
)

// show runs the tests of the fact.
func (f fact) show(t *testing.T, on *implementation) verdict {
	if reason, cannot := f.absent[on.name]; cannot {
		t.Log("n/a: " + reason)
		return absent
	}
	passed := true
	if f.table != nil {
		passed = t.Run("table", func(t *testing.T) { f.table(&seam{T: t, implementation: on}) })
	}
	if f.api != nil {
		passed = t.Run("api", func(t *testing.T) { f.api(&user{T: t, implementation: on}) }) && passed
	}
	if !passed {
		return violated
	}
	return held
}

func names() []string {
	var all []string
	for _, opener := range openers {
		all = append(all, opener.name)
	}
	return all
}
