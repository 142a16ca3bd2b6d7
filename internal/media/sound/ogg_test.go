package sound_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/media/sound"
)

// page is an Ogg page to be.
type page struct {
	flags    byte
	granule  int64
	serial   uint32
	sequence uint32
	lacing   []byte
	body     []byte
}

// write returns the page with its checksum.
func (p page) write() []byte {
	out := append([]byte("OggS\x00"), p.flags)
	out = binary.LittleEndian.AppendUint64(out, uint64(p.granule))
	out = binary.LittleEndian.AppendUint32(out, p.serial)
	out = binary.LittleEndian.AppendUint32(out, p.sequence)
	out = append(out, 0, 0, 0, 0, byte(len(p.lacing)))
	out = append(append(out, p.lacing...), p.body...)
	binary.LittleEndian.PutUint32(out[22:], remainder(out, 0x04C11DB7, 32))
	return out
}

// pages returns those of a file.
func pages(t testing.TB, data []byte) (all []page) {
	t.Helper()
	for len(data) > 0 {
		require.True(t, bytes.HasPrefix(data, []byte("OggS")))
		count := int(data[26])
		p := page{
			flags: data[5], granule: int64(binary.LittleEndian.Uint64(data[6:])), serial: binary.LittleEndian.Uint32(data[14:]),
			sequence: binary.LittleEndian.Uint32(data[18:]), lacing: data[27 : 27+count],
		}
		length := 27 + count
		for _, segment := range p.lacing {
			length += int(segment)
		}
		p.body = data[27+count : length]
		require.Equal(t, data[:length], p.write(), "the test's own writer")
		all = append(all, p)
		data = data[length:]
	}
	return all
}

func join(pages ...page) (data []byte) {
	for _, p := range pages {
		data = append(data, p.write()...)
	}
	return data
}

// withPackets cuts a stream after its first page into packets, replaces them by what change makes
// of them, and lays them out again with segments segments on a page. Only the last page keeps its
// position.
func withPackets(t testing.TB, data []byte, segments int, change func(packets [][]byte) [][]byte) []byte {
	t.Helper()
	all := pages(t, data)
	var packets [][]byte
	var packet []byte
	for _, p := range all[1:] {
		for _, length := range p.lacing {
			packet = append(packet, p.body[:length]...)
			p.body = p.body[length:]
			if length < 255 {
				packets, packet = append(packets, packet), nil
			}
		}
	}
	out := []page{all[0]}
	next := page{serial: all[0].serial, sequence: 1, granule: -1}
	changed := change(packets)
	for i, packet := range changed {
		for end := false; !end; {
			part := packet[:min(255, len(packet))]
			end = len(part) < 255
			packet = packet[len(part):]
			next.lacing = append(next.lacing, byte(len(part)))
			next.body = append(next.body, part...)
			last := i == len(changed)-1 && end
			if last {
				next.granule = all[len(all)-1].granule
				next.flags |= 4
			}
			if len(next.lacing) == segments || last {
				out = append(out, next)
				next = page{serial: next.serial, sequence: next.sequence + 1, granule: -1}
				if !end {
					next.flags = 1
				}
			}
		}
	}
	return join(out...)
}

// A packet goes on over pages where it has more than 255 segments.
func TestPacketsOverPages(t *testing.T) {
	for _, name := range []string{"celt.opus", "six.opus", "stereo.ogg"} {
		data := file(t, name)
		want := decoded(t, data)
		longer := func(packets [][]byte) [][]byte {
			packets[0] = append(packets[0], make([]byte, 200_000)...) // the tags, with a picture
			return packets
		}
		all := pages(t, withPackets(t, data, 255, longer))
		require.Len(t, all[1].lacing, 255)
		require.Equal(t, byte(1), all[2].flags)
		for i := range all[2 : len(all)-1] {
			// Pages that packets end on need a position. Only the last one's counts here.
			if all[2+i].granule < 0 && ends(all[2+i]) {
				all[2+i].granule = 0
			}
		}
		got := decoded(t, join(all...))
		require.Equal(t, want, got, name)
	}
}

// spread returns celt2.5.opus on many pages. Each of its packets has 120 samples.
func spread(t testing.TB) []byte {
	all := pages(t, withPackets(t, file(t, "celt2.5.opus"), 20, func(packets [][]byte) [][]byte { return packets }))
	require.Greater(t, len(all), 5)
	packets := -1 // the tags
	for i := 1; i < len(all)-1; i++ {
		for _, length := range all[i].lacing {
			if length < 255 {
				packets++
			}
		}
		all[i].granule = int64(max(packets, 0)) * 120
	}
	return join(all...)
}

func ends(p page) bool {
	for _, length := range p.lacing {
		if length < 255 {
			return true
		}
	}
	return false
}

func TestOggStructure(t *testing.T) {
	opus, vorbis := spread(t), file(t, "stereo.ogg")
	count := len(decoded(t, opus).Samples)
	all := pages(t, opus)
	require.Greater(t, len(all), 2)
	change := func(i int, edit func(*page)) []byte {
		changed := append([]page{}, all...)
		edit(&changed[i])
		return join(changed...)
	}
	last := len(all) - 1
	other := func(first string) []page {
		return []page{
			{flags: 2, serial: 99, lacing: []byte{byte(len(first))}, body: []byte(first)},
			{flags: 4, serial: 99, sequence: 1, lacing: []byte{3}, body: []byte("abc"), granule: 5},
		}
	}
	skeleton := other("fishead\x00")
	second := pages(t, vorbis)
	for i := range second {
		second[i].serial = 98
	}
	cases := map[string]struct {
		file []byte
		want int // samples, −1 for malformed, −2 for unsupported
	}{
		"beside another stream":         {join(concatPages(skeleton[:1], all[:1], skeleton[1:], all[1:])...), count},
		"another stream ends it":        {join(concatPages(all[:1], skeleton[:1], all[1:], skeleton[1:])...), count},
		"the first of two":              {join(concatPages(all[:1], second[:1], all[1:], second[1:])...), count},
		"only another stream":           {join(skeleton...), -2},
		"then only another stream":      {concat(opus, join(skeleton...)), -2},
		"then one of another rate":      {concat(opus, vorbis), -2},
		"then junk":                     {concat(opus, []byte("junk")), -1},
		"a missing page":                {join(concatPages(all[:1], all[2:])...), -1},
		"a page twice":                  {join(concatPages(all[:last], all[last-1:])...), -1},
		"pages after the last":          {join(concatPages(all, []page{{serial: all[0].serial, sequence: uint32(last) + 1, granule: 9, lacing: []byte{1}, body: []byte{0}}})...), -1},
		"not marked as the last":        {change(last, func(p *page) { p.flags = 0 }), -1},
		"a wrong continuation":          {change(last, func(p *page) { p.flags |= 1 }), -1},
		"a later position":              {change(last, func(p *page) { p.granule += 48000 }), -1},
		"a later one in the middle":     {change(4, func(p *page) { p.granule++ }), -1},
		"an earlier one in the middle":  {change(4, func(p *page) { p.granule-- }), count},
		"a position that is none":       {change(last, func(p *page) { p.granule = -2 }), -1},
		"the end is cut by a page":      {change(last, func(p *page) { p.granule -= 2000 }), count - 2000},
		"it ends before it begins":      {change(last, func(p *page) { p.granule = 100 }), 0},
		"tags that are none":            {change(1, func(p *page) { p.body = concat([]byte("OpusTagZ"), p.body[8:]) }), -1},
		"an empty packet":               {change(last, func(p *page) { p.lacing = concat(p.lacing, []byte{0}) }), -1},
		"a first page without a stream": {join(all[1:]...), -1},
		"tags without sound":            {join(all[0], page{flags: 4, serial: all[0].serial, sequence: 1, lacing: []byte{8}, body: []byte("OpusTags")}), 0},
		"an end before the tags":        {join(all[0], page{flags: 4, serial: all[0].serial, sequence: 1}), -1},
		"nothing but a first page":      {join(all[0]), -1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := sound.Decode(c.file, nil)
			switch c.want {
			case -1:
				require.ErrorIs(t, err, errors.ErrMalformed)
			case -2:
				require.ErrorIs(t, err, errors.ErrUnsupported)
			default:
				require.NoError(t, err)
				require.Len(t, got.Samples, c.want)
			}
		})
	}
}

func concatPages(parts ...[]page) (all []page) {
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// withHead changes a stream's first packet.
func withHead(t testing.TB, data []byte, change func(head []byte) []byte) []byte {
	all := pages(t, data)
	all[0].body = change(append([]byte{}, all[0].body...))
	all[0].lacing = []byte{byte(len(all[0].body))}
	return join(all...)
}

func TestOpusHeaders(t *testing.T) {
	mono, stereo := file(t, "silk8.opus"), file(t, "celt.opus")
	want := decoded(t, stereo).Samples
	set := func(at int, values ...byte) func([]byte) []byte {
		return func(head []byte) []byte {
			return append(head[:at], append(values, head[min(len(head), at+len(values)):]...)...)
		}
	}
	t.Run("gain", func(t *testing.T) {
		got := decoded(t, withHead(t, stereo, set(16, 0x05, 0xFA))).Samples // −1531/256 dB
		for i, v := range want {
			require.InDelta(t, 0.5023*v, got[i], 2e-4)
		}
	})
	t.Run("pre-skip", func(t *testing.T) {
		skip := int(pages(t, stereo)[0].body[10]) + int(pages(t, stereo)[0].body[11])<<8
		got := decoded(t, withHead(t, stereo, set(10, byte(skip+100), byte((skip+100)>>8)))).Samples
		require.Equal(t, want[100:], got)
	})
	t.Run("a family-1 mapping of the same two channels", func(t *testing.T) {
		require.Equal(t, want, decoded(t, withHead(t, stereo, set(18, 1, 1, 1, 1, 0))).Samples)
	})
	t.Run("one of them silent", func(t *testing.T) {
		left := decoded(t, withHead(t, stereo, set(18, 1, 1, 1, 0, 255))).Samples
		right := decoded(t, withHead(t, stereo, set(18, 1, 1, 1, 255, 1))).Samples
		for i, v := range want {
			require.InDelta(t, v, left[i]+right[i], 1e-6)
		}
	})
	for name, c := range map[string]struct {
		change func([]byte) []byte
		err    error
	}{
		"short":                         {func(head []byte) []byte { return head[:18] }, errors.ErrMalformed},
		"a later version":               {set(8, 0x10), errors.ErrUnsupported},
		"no channels":                   {set(9, 0), errors.ErrMalformed},
		"three channels in family 0":    {set(9, 3), errors.ErrMalformed},
		"family 2, of ambisonics":       {set(18, 2, 1, 0, 0), errors.ErrUnsupported},
		"family 255, of no loudspeaker": {set(18, 255, 1, 0, 0), errors.ErrUnsupported},
		"a mapping that ends":           {set(18, 1, 1, 0), errors.ErrMalformed},
		"no streams":                    {set(18, 1, 0, 0, 0), errors.ErrMalformed},
		"more pairs than streams":       {set(18, 1, 1, 2, 0), errors.ErrMalformed},
		"streams that no channel has":   {set(18, 1, 9, 0, 0), errors.ErrUnsupported},
		"a channel that is not there":   {set(18, 1, 1, 0, 1), errors.ErrMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := sound.Decode(withHead(t, mono, c.change), nil)
			require.ErrorIs(t, err, c.err)
		})
	}
}

// A stream that was cut from a longer one begins at another position than 0.
func TestOpusThatBeginsLate(t *testing.T) {
	all := pages(t, spread(t))
	want := decoded(t, join(all...))
	for i := range all[1:] {
		all[1+i].granule += 1_000_000
	}
	require.Equal(t, want, decoded(t, join(all...)))
	all[1].granule -= 1_000_001
	_, err := sound.Decode(join(all...), nil)
	require.ErrorIs(t, err, errors.ErrMalformed, "a first page before its own samples")
}

// Vorbis drops what comes before position 0.
func TestVorbisThatBeginsEarly(t *testing.T) {
	data := file(t, "stereo.ogg")
	want := decoded(t, data).Samples
	all := pages(t, data)
	first := 0
	for i, p := range all {
		if p.granule > 0 {
			first = i
			break
		}
	}
	if first == len(all)-1 { // give the first sound a page of its own
		p := all[first]
		head, tail := p, p
		cut, length := len(p.lacing)/2, 0
		for p.lacing[cut-1] == 255 {
			cut++
		}
		for _, segment := range p.lacing[:cut] {
			length += int(segment)
		}
		head.lacing, head.body, head.flags = p.lacing[:cut], p.body[:length], p.flags&^4
		tail.lacing, tail.body, tail.sequence, tail.flags = p.lacing[cut:], p.body[length:], p.sequence+1, 4
		// The decoder reports how many samples that page has: at any greater position some would be
		// missing.
		for head.granule = 0; ; head.granule++ {
			tail.granule = p.granule
			if got, err := sound.Decode(join(append(append([]page{}, all[:first]...), head, tail)...), nil); err == nil && len(got.Samples) == len(want) {
				break
			}
		}
		all = append(all[:first:first], head, tail)
		require.Equal(t, want, decoded(t, join(all...)).Samples)
	}
	for i := first; i < len(all); i++ {
		all[i].granule -= 1000
	}
	require.Equal(t, want[1000:], decoded(t, join(all...)).Samples)
}
