package contract_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/uform"
)

// A07, A16–A21, A23, A30–A33: where arenas are, and who may use them.
var placementFacts = []fact{
	{id: "A07", words: "an_arena_is_placed_where_its_executor_computes", table: placedByExecutor, api: placedByTheUsersExecutor},
	{id: "A16", words: "an_arena_of_another_residency_is_device", table: otherResidency, api: otherResidencyOfTheUser,
		absent: reasons{embedded: noGPU}},
	{id: "A17", words: "an_arena_of_another_device_is_device", table: otherDevice, api: otherDeviceOfTheUser, absent: gpuOnly},
	{id: "A18", words: "a_gpu_arena_with_another_executor_than_its_maker_is_device", table: otherMaker, api: otherMakerOfTheUser, absent: gpuOnly},
	{id: "A19", words: "a_gpu_arena_with_a_null_executor_is_device", table: gpuArenaOnTheCallingThread, api: gpuArenaOnTheUsersThread,
		absent: reasons{embedded: noGPU}},
	{id: "A20", words: "a_gpu_arena_lives_on_its_makers_first_stream", table: onTheFirstStream, api: onTheFirstStreamOfTheUser, absent: gpuOnly},
	{id: "A21", words: "a_gpu_arena_is_freed_before_its_executor", table: arenaBeforeExecutor, api: arenaKeepsItsExecutor, absent: gpuOnly},
	{id: "A23", words: "a_gpu_that_runs_out_is_out_of_memory_and_does_not_fall_back", table: gpuRunsOut, api: gpuRunsOutForTheUser, absent: gpuOnly},
	{id: "A30", words: "describing_an_arena_needs_no_executor", table: describeAlone, api: describeAloneForTheUser},
	{id: "A31", words: "describing_nothing_is_an_invalid_argument", table: describeNothing, api: describeNothingForTheUser},
	{id: "A32", words: "the_description_is_a_residency_and_a_device", table: descriptionFields},
	{id: "A33", words: "the_device_is_an_ordinal_of_the_list_or_minus_one", table: deviceOrdinals, api: deviceOrdinalsOfTheUser},
}

var onHost = abi.ArenaDescription{Residency: abi.ResidencyRAM, Device: -1}

// placed requires that an arena is at a place.
func (s *seam) placed(arena abi.Arena, want abi.ArenaDescription) {
	s.Helper()
	description, outcome := s.describeArena(arena)
	s.succeeded(outcome)
	require.Equal(s, want, description)
}

func placedByExecutor(s *seam) {
	if s.onDevice {
		for _, devices := range [][]int32{{0}, {1}, {1, 0}} {
			arena := s.arena(s.gpu(devices...))
			s.placed(arena, abi.ArenaDescription{Residency: abi.ResidencyVRAM, Device: devices[0]})
		}
		p := s.place(full())
		s.encode(p.encoding("what a call writes does not move the arena"))
		s.placed(p.arena, abi.ArenaDescription{Residency: abi.ResidencyVRAM, Device: 0})
		return
	}
	for _, executor := range []abi.Executor{0, s.executor(), s.holder(), s.threads(2, abi.CallerInclusive)} {
		s.placed(s.arena(executor), onHost)
	}
	p := s.place(full())
	s.encode(p.encoding("what a call writes does not move the arena"))
	s.placed(p.arena, onHost)
}

func placedByTheUsersExecutor(u *user) {
	at := u.seat(full())
	want, err := at.executor.Describe()
	require.NoError(u, err)
	for range 2 {
		description, err := at.arena.Describe()
		require.NoError(u, err)
		require.Equal(u, want.Residency, description.Residency)
		require.Equal(u, want.Device, description.Device)
		u.encode(at, "what a call writes does not move the arena")
	}
	require.Equal(u, u.onDevice, want.Residency == uform.VRAM)
}

func otherResidency(s *seam) {
	p := s.place(full())
	other := s.gpu()
	if s.onDevice {
		other = 0
	}
	e := s.encode(p.encoding("stays as it is"))
	want := s.read(e)
	s.refused(p.in(s.arena(other)).encoding("x"), abi.StatusDevice, -1)
	s.refused(p.in(s.arena(other)).encoding("x").deferring(), abi.StatusDevice, -1)
	s.refusedChoice(p.in(s.arena(other)).choosing([]string{"x"}, []string{"ab"}), abi.StatusDevice, -1)
	require.Equal(s, want, s.read(e))
}

func otherResidencyOfTheUser(u *user) {
	at := u.seat(full())
	var elsewhere *uform.Arena
	if u.onDevice {
		elsewhere = u.arena(nil)
	} else {
		elsewhere = u.arena(u.gpu())
	}
	deviceError(u, at, elsewhere)
}

// deviceError requires that calls of the seat that name another arena fail with the status device.
func deviceError(u *user, at seat, arena *uform.Arena) {
	u.Helper()
	texts, choices := uform.Strings([]string{"x"}), uform.Strings([]string{"ab"})
	_, err := at.model.On(at.executor).TextEncode(background, texts, arena, nil)
	require.ErrorIs(u, err, uform.ErrDevice)
	_, err = at.model.Deferred(at.executor).TextEncode(background, texts, arena, nil)
	require.ErrorIs(u, err, uform.ErrDevice)
	_, err = at.model.On(at.executor).TextChoose(background, texts, choices, arena, nil)
	require.ErrorIs(u, err, uform.ErrDevice)
}

func otherDevice(s *seam) {
	p := s.placeOn(s.gpu(0), full())
	s.refused(p.in(s.arena(s.gpu(1))).encoding("x"), abi.StatusDevice, -1)
	s.refused(p.in(s.arena(s.gpu(1, 0))).encoding("x"), abi.StatusDevice, -1)
	s.encode(p.encoding("x"))
}

func otherDeviceOfTheUser(u *user) {
	at := u.seatOn(u.gpu(0), full())
	deviceError(u, at, u.arena(u.gpu(1)))
	u.encode(at, "x")
}

func otherMaker(s *seam) {
	p := s.place(full())
	twin := s.gpu(0)
	s.refused(p.on(twin).encoding("x"), abi.StatusDevice, -1)
	s.refused(p.in(s.arena(twin)).encoding("x"), abi.StatusDevice, -1)
	s.encode(p.on(twin).in(s.arena(twin)).encoding("x"))
}

func otherMakerOfTheUser(u *user) {
	at := u.seat(full())
	twin := u.gpu(0)
	deviceError(u, at, u.arena(twin))
	u.encode(seat{twin, at.model, u.arena(twin)}, "x")
}

func gpuArenaOnTheCallingThread(s *seam) {
	model := s.load(0, full())
	s.refused(place{0, model, s.arena(s.gpu())}.encoding("x"), abi.StatusDevice, -1)
	s.refusedChoice(place{0, model, s.arena(s.gpu())}.choosing([]string{"x"}, []string{"ab"}), abi.StatusDevice, -1)
	s.encode(place{0, model, s.arena(0)}.encoding("the same with host pages"))
}

func gpuArenaOnTheUsersThread(u *user) {
	model := u.load(nil, full())
	_, err := model.TextEncode(background, uform.Strings([]string{"x"}), u.arena(u.gpu()), nil)
	require.ErrorIs(u, err, uform.ErrDevice)
	_, err = model.TextEncode(background, uform.Strings([]string{"x"}), u.arena(nil), nil)
	require.NoError(u, err)
}

// onTheFirstStream tests arenas of executors with several streams, on both devices at once.
func onTheFirstStream(s *seam) {
	type maker struct {
		place
		device, stream int
	}
	var makers []maker
	streams := map[int]bool{}
	for _, device := range []int32{0, 1, 0} {
		p := s.placeOn(s.gpuOf(3, device), full())
		m := maker{p, int(device), s.firstStream(p.executor)}
		for stream := range 3 {
			require.False(s, streams[m.stream+stream], "a stream of two executors")
			streams[m.stream+stream] = true
		}
		makers = append(makers, m)
	}
	_, since := s.streamWorks(math.MaxInt)
	watched := func(m maker, want ...int) {
		s.Helper()
		since = s.worked(s.T, m.device, m.stream, since, want...)
	}
	for range 2 {
		for _, m := range makers {
			watched(m)
			arena := s.arena(m.executor)
			watched(m) // making it does nothing
			p := m.in(arena)
			s.encode(p.encoding("one", "two"))
			watched(m, grown, filled)
			s.encode(p.encoding("2", "1"))
			watched(m, filled)
			s.encode(p.encoding(lines(100)...))
			watched(m, freed, grown, filled)
			deferred := p.encoding("one").deferring()
			s.table.TextEncode(&deferred.TextEncode)
			s.wait(deferred)
			watched(m, filled)
			s.choose(p.choosing([]string{"x"}, []string{"ab"}))
			watched(m, filled)
			s.table.ArenaFree(arena)
			watched(m, freed)
		}
	}
	// An arena that is left when its executor is freed is freed before it.
	m := makers[1]
	s.encode(m.encoding("left"))
	watched(m, grown, filled)
	s.table.ExecutorFree(m.executor)
	watched(m, freed)
}

// worked requires the operations since an entry, without repetitions, and that all of them ran on
// one stream. It returns the entry to begin with the next time.
func (on *implementation) worked(t *testing.T, device, stream, since int, want ...int) (now int) {
	t.Helper()
	var got []int
	works, now := on.streamWorks(since)
	for _, work := range works {
		require.Equal(t, device, work.device)
		require.Equal(t, stream, work.stream)
		require.NotZero(t, work.address)
		if len(got) == 0 || got[len(got)-1] != work.work {
			got = append(got, work.work)
		}
	}
	require.Equal(t, want, got)
	return now
}

func onTheFirstStreamOfTheUser(u *user) {
	u, counted := u.counted()
	executor, err := u.library.NewDeviceExecutor(&uform.DeviceExecutorOptions{Devices: []int{1}, Streams: 2})
	require.NoError(u, err)
	u.Cleanup(func() { executor.Close() })
	stream := u.firstStream(counted.executor)
	model := u.load(executor, full())
	_, since := u.streamWorks(math.MaxInt)
	at := seat{executor, model, u.arena(executor)}
	u.encode(at, "one", "two")
	require.NoError(u, executor.Close())
	require.NoError(u, at.arena.Close())
	u.worked(u.T, 1, stream, since, grown, filled, freed)
	require.EqualValues(u, 1, counted.executorsFreed.Load(), "the executor went after its arena")
}

func arenaBeforeExecutor(s *seam) {
	executor := s.gpu(1)
	free := s.freeBytes(1)
	p := s.placeOn(executor, full())
	s.encode(p.encoding("in the memory of the device"))
	s.table.ArenaFree(p.arena)
	s.table.ModelFree(p.model)
	require.Equal(s, free, s.freeBytes(1), "its memory is the device's again")
	s.table.ExecutorFree(executor)
	require.Equal(s, free, s.freeBytes(1))
	s.table.ArenaFree(p.arena) // stale, and ignored
}

func arenaKeepsItsExecutor(u *user) {
	at := u.seatOn(u.gpu(1), full())
	encoded := u.encode(at, "in the memory of the device")
	want := u.read(encoded)
	data := encoded.Embeddings.Data()
	require.NoError(u, at.executor.Close())
	require.Equal(u, want, u.read(encoded), "closing the executor waits for its arenas")
	_, err := at.model.On(at.executor).TextEncode(background, uform.Strings([]string{"x"}), at.arena, nil)
	require.ErrorIs(u, err, uform.ErrClosed)
	require.NoError(u, at.arena.Close())
	require.False(u, u.copyOut(make([]byte, 4), data), "the device's memory went with its last executor")
}

func gpuRunsOut(s *seam) {
	p := s.placeOn(s.gpu(1), wide())
	free := s.freeBytes(1)
	small := s.encode(p.encoding("", "").as(abi.ScalarF32))
	require.Equal(s, wide().reference.vector("empty")[7], float64(s.floats(small.embeddings, 1)[7]))
	// Each empty text takes a row of 32 KiB.
	many := make([]string, free/(4*8192)+1)
	s.refused(p.encoding(many...).as(abi.ScalarF32), abi.StatusOutOfMemory, -1)
	late := p.encoding(many...).as(abi.ScalarF32)
	g := s.running(late)
	g.Open()
	require.Equal(s, abi.StatusOutOfMemory, s.table.OutcomeWait(&late.outcome))
	s.leftNothing(late)
	s.placed(p.arena, abi.ArenaDescription{Residency: abi.ResidencyVRAM, Device: 1})
	again := s.encode(p.encoding("", "").as(abi.ScalarF32))
	require.True(s, s.copyOut(make([]byte, 4), uintptr(again.embeddings.Data)), "still device memory")
}

func gpuRunsOutForTheUser(u *user) {
	at := u.seatOn(u.gpu(1), wide())
	devices, err := u.library.Devices()
	require.NoError(u, err)
	many := uform.Strings(make([]string, devices[1].MemoryFreeBytes/(4*8192)+1))
	_, err = at.model.On(at.executor).TextEncode(background, many, at.arena, nil)
	require.ErrorIs(u, err, uform.ErrOutOfMemory)
	u.encode(at, "", "")
	description, err := at.arena.Describe()
	require.NoError(u, err)
	require.Equal(u, uform.VRAM, description.Residency)
}

func describeAlone(s *seam) {
	_, has := reflect.TypeFor[abi.ArenaDescribe]().FieldByName("Executor")
	require.False(s, has)
	p := s.place(full())
	want, outcome := s.describeArena(p.arena)
	s.succeeded(outcome)
	// It works during a call in flight and after the end of the executor.
	e := p.encoding("in flight")
	g := s.running(e)
	s.placed(p.arena, want)
	g.Open()
	s.wait(e)
	if !s.onDevice {
		s.table.ExecutorFree(p.executor)
		s.placed(p.arena, want)
	}
}

func describeAloneForTheUser(u *user) {
	at := u.seat(full())
	want, err := at.arena.Describe()
	require.NoError(u, err)
	require.NoError(u, at.executor.Close())
	got, err := at.arena.Describe()
	require.NoError(u, err)
	require.Equal(u, want, got)
}

func describeNothing(s *seam) {
	description, outcome := s.describeArena(0)
	s.failed(outcome, abi.StatusInvalidArgument, -1)
	require.Equal(s, abi.ArenaDescription{Residency: -77, Device: -77}, description, "a report that failed is left alone")
	b := &struct {
		abi.ArenaDescribe
		outcome abi.Outcome
	}{}
	b.ArenaDescribe = abi.ArenaDescribe{Arena: s.arena(0), Outcome: plant(&b.outcome)}
	s.table.ArenaDescribe(&b.ArenaDescribe)
	s.failed(&b.outcome, abi.StatusInvalidArgument, -1)
	b.ArenaDescribe = abi.ArenaDescribe{Outcome: plant(&b.outcome)}
	s.table.ArenaDescribe(&b.ArenaDescribe)
	s.failed(&b.outcome, abi.StatusInvalidArgument, -1)
}

func describeNothingForTheUser(u *user) {
	arena := u.arena(nil)
	require.NoError(u, arena.Close())
	_, err := arena.Describe()
	require.ErrorIs(u, err, uform.ErrInvalidArgument)
	require.ErrorIs(u, err, uform.ErrClosed)
	require.NotPanics(u, func() {
		_, err := (*uform.Arena)(nil).Describe()
		require.ErrorIs(u, err, uform.ErrInvalidArgument)
	}, "describing a nil arena")
}

func descriptionFields(s *seam) {
	description := reflect.TypeFor[abi.ArenaDescription]()
	require.Equal(s, 2, description.NumField())
	require.Equal(s, "Residency", description.Field(0).Name)
	require.Equal(s, "Device", description.Field(1).Name)
	require.Equal(s, reflect.TypeFor[int32](), description.Field(1).Type)
	s.laidOut("uform_arena_description_t", description, "residency", "device")
	require.Zero(s, abi.ResidencyRAM, "the default")
	require.NotZero(s, abi.ResidencyVRAM)
}

func deviceOrdinals(s *seam) {
	gpus := s.gpus()
	require.Equal(s, s.name == embedded, len(gpus) == 0)
	for i, gpu := range gpus {
		require.EqualValues(s, i, gpu.Device)
		s.placed(s.arena(s.gpu(int32(gpu.Device))), abi.ArenaDescription{Residency: abi.ResidencyVRAM, Device: int32(gpu.Device)})
	}
	s.placed(s.arena(0), onHost)
}

func deviceOrdinalsOfTheUser(u *user) {
	devices, err := u.library.Devices()
	require.NoError(u, err)
	for i, device := range devices {
		require.Equal(u, i, device.Device)
		description, err := u.arena(u.gpu(i)).Describe()
		require.NoError(u, err)
		require.Equal(u, device.Device, description.Device)
	}
	description, err := u.arena(nil).Describe()
	require.NoError(u, err)
	require.Equal(u, -1, description.Device)
}
