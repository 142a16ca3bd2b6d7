package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Words that mean about the same. No word resembles its partner in its letters, so a model that
// only knows letters cannot match them.
var (
	kinds = strings.Fields(`big=large small=tiny fast=quick old=ancient happy=glad clever=smart rich=wealthy silent=quiet brave=bold
		odd=strange pretty=lovely sick=ill wet=damp angry=furious tired=weary`)
	beings = strings.Fields(`boy=lad doctor=physician teacher=tutor dog=hound horse=steed thief=burglar king=monarch friend=buddy
		baby=infant soldier=warrior sailor=mariner lawyer=attorney crowd=throng boss=chief`)
	deeds = strings.Fields(`sees=notices helps=assists follows=trails calls=phones likes=enjoys fears=dreads hires=employs thanks=praises
		teaches=instructs watches=observes finds=locates visits=meets`)
	things = strings.Fields(`car=automobile house=dwelling street=road stone=rock forest=woods boat=ship gift=present picture=image
		shop=store coat=jacket cup=mug meal=dinner`)
)

// phrases returns pairs of sentences that say the same in different words. All are made of the same
// words, so training on some of them helps with the others.
func phrases() []pair {
	const count = 900
	random := rand.New(rand.NewPCG(7, 7))
	pick := func(words []string) (left, right string) {
		left, right, _ = strings.Cut(words[random.IntN(len(words))], "=")
		if random.IntN(2) == 0 {
			left, right = right, left
		}
		return left, right
	}
	var pairs []pair
	seen := map[string]bool{}
	for len(pairs) < count {
		kind, sameKind := pick(kinds)
		being, sameBeing := pick(beings)
		deed, sameDeed := pick(deeds)
		thing, sameThing := pick(things)
		p := pair{
			fmt.Sprintf("the %s %s %s a %s", kind, being, deed, thing),
			fmt.Sprintf("one %s %s %s some %s", sameKind, sameBeing, sameDeed, sameThing),
		}
		if !seen[p.left] {
			seen[p.left] = true
			pairs = append(pairs, p)
		}
	}
	return pairs
}
