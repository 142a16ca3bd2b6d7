// Package clip takes frames from video files, as section 10 of docs/checkpoint.md picks them.
//
//	frames, err := clip.Frames(file, 8, nil) // 8 frames, evenly spread over the clip
//	pixels := raster.Resize(&frames[0], 224) // and on with package raster
//
// # From file to frames
//
// A file is told by its first bytes (format.go). What reads it is here, in Go: MP4 (mp4.go and the
// files that begin with its name: the boxes, the tables of plain files, the fragments of others,
// the description of a codec) and WebM (webm.go and its likes). Both give a track: its samples in
// the order of decoding, when each is shown, and how the track is turned (track.go). That is enough
// to say which samples are needed (timeline.go), and what must be decoded to have them (run.go).
//
// Decoding takes the shortest way that there is (decode.go). Motion JPEG, and VP8 whose needed
// frames are key frames, are pictures that package raster knows (still.go). All else is asked of
// FFmpeg's libraries, where the system has them: ffmpeg.go says what is called, ffmpeg_load.go
// finds it at run time, ffmpeg_session.go decodes and ffmpeg_convert.go hands what comes out to
// package raster, plane by plane. No C compiler is involved. The choice is made by the file alone,
// so that installing FFmpeg never changes a result, but only makes errors into results.
//
// # FFmpeg and strangers' files
//
// FFmpeg never sees a file, a name or a container. It gets the samples of one track, one by one,
// for a decoder that this package names, for one of six codecs (codec.go); it opens nothing, and
// its demuxers, filters and protocols are not loaded. What it decodes it decodes inside of this
// process, though: a fault in its code is a fault of the program. A program that must not take that
// risk is built with the tag uform_static, and then decodes what Go can.
//
// # What is promised
//
// A file that ends early is an error, never fewer frames: every size that a file declares is
// compared with what is there, whoever reads it. One kind of cut leaves no trace. A file that was
// written as it was recorded, in pieces and without an index (fragmented MP4 without sidx, WebM of
// unknown sizes), and that ends where a piece ends, is a shorter recording.
//
// Frames that are not needed are not decoded, so damage among them goes unseen; so does damage that
// a codec takes for a picture. A needed frame that does not decode, such as those before the first
// key of a clip that was cut out of a longer one, is an error.
//
// Colours are made by package raster, as those of a WebP: by the matrix and the levels that the
// stream or the file names, else by BT.601 of limited levels, with chroma interpolated. Nothing
// here keeps what it is given, and everything may be used by many goroutines at once.
package clip
