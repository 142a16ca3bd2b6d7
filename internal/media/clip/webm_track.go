package clip

import "math"

// trackVideo is the type of a video track.
const trackVideo = 1

// readTracks reads the list of tracks and selects the first video track.
func (s *segment) readTracks(body []byte) error {
	for entry, err := range elements(body) {
		if err != nil {
			return err
		}
		if entry.id != idTrackEntry || s.track != nil {
			continue
		}
		if err := s.readTrack(entry.body); err != nil {
			return err
		}
	}
	return nil
}

// readTrack reads a track, and selects it if it is a video track.
func (s *segment) readTrack(body []byte) error {
	t := newTrack(WebM)
	var kind, number uint64
	name, each, encoded := "", int64(unknown), false
	for part, err := range elements(body) {
		if err != nil {
			return err
		}
		switch part.id {
		case idTrackType:
			kind = part.number()
		case idTrackNumber:
			number = part.number()
		case idCodecID:
			name = string(part.body)
		case idCodecPrivate:
			t.config = part.body
		case idDefaultDuration:
			if n := part.number(); n > 0 && n <= farthest {
				each = int64(n)
			}
		case idContentEncodings:
			encoded = true
		case idVideo:
			if err := t.readVideo(part.body); err != nil {
				return err
			}
		}
	}
	if kind != trackVideo {
		return nil
	}
	if encoded {
		return unsupported("the WebM is compressed again or encrypted as a whole: mux it anew")
	}
	known := map[string]*codec{
		"V_VP8": vp8, "V_VP9": vp9, "V_AV1": av1, "V_MPEG4/ISO/AVC": h264, "V_MPEGH/ISO/HEVC": hevc,
		"V_MPEG4/ISO/ASP": mpeg4, "V_MJPEG": mjpeg,
	}
	if t.codec = known[name]; t.codec == nil {
		return unsupported("the WebM's video is %q, which is not supported: encode it as VP9", name)
	}
	s.track, s.number, s.each = t, number, each
	return nil
}

// readVideo reads the fields of a track's pictures.
func (t *track) readVideo(body []byte) error {
	for part, err := range elements(body) {
		if err != nil {
			return err
		}
		switch part.id {
		case idPixelWidth:
			t.width = int(min(part.number(), math.MaxInt32))
		case idPixelHeight:
			t.height = int(min(part.number(), math.MaxInt32))
		case idColour:
			for code, err := range elements(part.body) {
				if err != nil {
					return err
				}
				switch code.id {
				case idMatrix:
					t.colour.matrix = int(min(code.number(), 255))
				case idRange:
					if levels := code.number(); levels == 1 || levels == 2 {
						t.colour.levels = int(levels)
					}
				}
			}
		case idProjection:
			if err := t.readProjection(part.body); err != nil {
				return err
			}
		}
	}
	return nil
}

// readProjection reads the rotation of a flat picture, in degrees to the left.
func (t *track) readProjection(body []byte) error {
	flat, roll := true, 0.0
	for part, err := range elements(body) {
		if err != nil {
			return err
		}
		switch part.id {
		case idProjectionType:
			flat = flat && part.number() == 0
		case idPoseYaw, idPosePitch:
			flat = flat && part.float() == 0
		case idPoseRoll:
			roll = part.float()
		}
	}
	if quarters := roll / 90; flat && quarters == math.Trunc(quarters) && math.Abs(quarters) <= 4 {
		t.turns = (8 - int(quarters)) % 4
	}
	return nil
}
