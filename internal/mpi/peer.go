package mpi

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/platform"
)

// peer is another process of the run, and the words on their way from and to it. One receive is
// under way unless a word has come that nobody has looked at yet: so a farewell is heard whenever
// it comes.
type peer struct {
	index int
	// heard, said and farewell are the words' bytes. A farewell may have to be said while the last
	// word is not yet gone.
	heard, said, farewell     []byte
	hearing, saying, parting  handle
	listening, talking, ended bool

	word  word // the last that was heard
	fresh bool // and is still to be looked at
}

// gone is whether the peer has left without finishing as many calls.
func (p *peer) gone(calls uint64) bool {
	return p.fresh && (p.word.kind == failing || p.word.kind == closing) && p.word.call <= calls
}

// All words have one tag.
const tag = 1

// listen begins to receive the peer's next word.
func (r *Run) listen(p *peer) error {
	p.fresh = false
	p.listening = true
	return r.call("MPI_Irecv", func(l *library) int32 {
		return l.receive(&p.heard[0], wordSize, l.bytes, int32(p.index), tag, r.communicator(), &p.hearing)
	})
}

// hear looks whether a word has come.
func (r *Run) hear(p *peer) error {
	if !p.listening {
		return nil
	}
	done, err := r.done(&p.hearing)
	if done {
		p.listening, p.fresh, p.word = false, true, decode(p.heard)
	}
	return err
}

func (r *Run) hearAll() error {
	for i := range r.peers {
		if err := r.hear(&r.peers[i]); err != nil {
			return err
		}
	}
	return nil
}

// present is an error where a peer has left that this call needs.
func (r *Run) present() error {
	if err := r.hearAll(); err != nil {
		return err
	}
	for i := range r.peers {
		if p := &r.peers[i]; p.gone(r.calls) {
			return r.left(p)
		}
	}
	return nil
}

// exchange tells all others what this process is about to do, and waits until each of them has told
// that it does the same.
func (r *Run) exchange(ctx context.Context, w word) error {
	if err := r.present(); err != nil {
		return err
	}
	for i := range r.peers {
		p := &r.peers[i]
		w.encode(p.said)
		err := r.call("MPI_Isend", func(l *library) int32 {
			return l.send(&p.said[0], wordSize, l.bytes, int32(p.index), tag, r.communicator(), &p.saying)
		})
		if err != nil {
			return err
		}
		p.talking = true
	}
	for pause := newPause(soon); ; pause.wait() {
		if err := r.present(); err != nil {
			return err
		}
		var missing []string
		for i := range r.peers {
			p := &r.peers[i]
			if err := r.spoken(p); err != nil {
				return err
			}
			if p.talking || !p.fresh {
				missing = append(missing, fmt.Sprint(p.index))
			}
		}
		if missing == nil {
			return r.compare(w)
		}
		if ctx.Err() != nil {
			return r.fail(errors.ErrPeer, context.Cause(ctx), "gave up waiting for process %s to come to %s: %v",
				strings.Join(missing, ", "), w.doing(), context.Cause(ctx))
		}
	}
}

// spoken looks whether the last word to a peer has left its buffer.
func (r *Run) spoken(p *peer) error {
	if !p.talking {
		return nil
	}
	done, err := r.done(&p.saying)
	p.talking = !done
	return err
}

// compare is an error unless all others do what this process does.
func (r *Run) compare(mine word) error {
	for i := range r.peers {
		p := &r.peers[i]
		if p.word != mine {
			return r.fail(errors.ErrPeer, nil, "disagrees with process %d: here it is %s, there %s", p.index, mine.doing(), p.word.doing())
		}
	}
	for i := range r.peers {
		if err := r.listen(&r.peers[i]); err != nil {
			return err
		}
	}
	return nil
}

// left breaks the run that a peer has left, for the reason of the first who did, whoever tells of
// it.
func (r *Run) left(p *peer) error {
	farewell := p.word
	if farewell.kind == closing {
		farewell = word{kind: failing, origin: uint32(p.index), text: "it has closed the run"}
	}
	text := fmt.Sprintf("process %d has left the run: %s", farewell.origin, farewell.text)
	if farewell.origin == uint32(r.index) {
		text = fmt.Sprintf("process %d has left the run, because this one has", p.index)
	}
	return r.breaks(&failure{status: errors.ErrPeer, text: text}, farewell)
}

// notice is how long a process that gives up sees to it that its farewells leave. They are small,
// and go at once where anybody listens.
const notice = 200 * time.Millisecond

// tell sends a farewell to all others, and drives it on its way, without waiting for those who do
// not listen.
func (r *Run) tell(w word) {
	r.parted = true
	end := time.Now().Add(notice)
	for i := range r.peers {
		p := &r.peers[i]
		w.encode(p.farewell)
		r.session.calls.Lock()
		code := r.session.send(&p.farewell[0], wordSize, r.session.bytes, int32(p.index), tag, r.communicator(), &p.parting)
		r.session.calls.Unlock()
		p.ended = code != 0 // what cannot be told need not be waited for
	}
	for pause := newPause(soon); !r.told() && time.Now().Before(end); pause.wait() {
	}
}

// told is whether all farewells have left, as far as they will.
func (r *Run) told() bool {
	all := true
	for i := range r.peers {
		p := &r.peers[i]
		if p.ended {
			continue
		}
		var done int32
		var status [64]byte
		r.session.calls.Lock()
		code := r.session.test(&p.parting, &done, &status[0])
		r.session.calls.Unlock()
		p.ended = done != 0 || code != 0
		all = all && p.ended
	}
	return all
}

// depart closes a run that is whole: it says so to all others, and waits until they have done the
// same.
func (r *Run) depart() error {
	r.tell(word{kind: closing, call: r.calls})
	end := time.Now().Add(patience)
	for pause := newPause(soon); ; pause.wait() {
		if err := r.hearAll(); err != nil {
			return err
		}
		var missing []string
		told := r.told()
		for i := range r.peers {
			p := &r.peers[i]
			switch {
			case p.fresh && p.word.kind == failing:
				return r.left(p)
			case p.fresh && p.word.kind != closing:
				// It begins another call, and is told that this process does not.
				if err := r.listen(p); err != nil {
					return err
				}
				fallthrough
			case !p.fresh:
				missing = append(missing, fmt.Sprint(p.index))
			}
		}
		if missing == nil && told {
			return nil
		}
		if time.Now().After(end) {
			return r.fail(errors.ErrPeer, nil, "gave up waiting for process %s to close the run", strings.Join(missing, ", "))
		}
	}
}

// pause is the time between two looks. At first only other threads get the processor; then it grows
// with the time that nothing has happened, to a millisecond at most.
type pause struct {
	began time.Time
	soon  time.Duration // for how long the end is near
}

// soon is for how long others are expected at once.
const soon = 500 * time.Microsecond

func newPause(soon time.Duration) pause { return pause{time.Now(), soon} }

func (p pause) wait() {
	switch idle := time.Since(p.began); {
	case idle < p.soon:
		platform.Yield()
	default:
		platform.Nap(min(max(idle/8, 50*time.Microsecond), time.Millisecond))
	}
}
