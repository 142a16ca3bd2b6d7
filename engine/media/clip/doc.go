// Package clip takes frames from video files, as section 10 of the page CHECKPOINT.md picks them.
//
//	frames, err := clip.Frames(file, 8, nil) // 8 frames, evenly spread over the clip
//	pixels := raster.Resize(&frames[0], 224) // and on with package raster
//
// # From file to frames
//
// A file is told by its first bytes (format.go). What reads it is here, in Go: MP4 (mp4.go, and mp4_table.go for plain
// files, mp4_fragment.go for those in pieces) and WebM (webm.go). Both give a track: its samples in the order of decoding,
// when each is shown, and how the track is turned (track.go). That is enough to say which samples are needed
// (timeline.go) and what must be decoded to have them (run.go).
//
// Decoding takes the shortest way that there is (decode.go). Motion JPEG, and VP8 whose needed frames are key frames, are
// pictures that package raster knows. All else is asked of FFmpeg's libraries, where the system has them (ffmpeg.go,
// ffmpeg_load.go, ffmpeg_session.go): they are found at run time, and no C compiler is involved. The choice is made by the
// file alone, so that installing FFmpeg never changes a result, but only makes errors into results.
//
// # FFmpeg and strangers' files
//
// FFmpeg never sees a file, a name or a container. It gets the samples of one track, one by one, for a decoder that this
// package names out of a list of six (codec.go); it opens nothing, and its demuxers, filters and protocols are not loaded.
// What it decodes it decodes inside of this process, though: a fault in its code is a fault of the program. A program that
// must not take that risk is built with the tag uform_static, and then decodes what Go can.
//
// # What is promised
//
// A file that ends early is an error, never fewer frames: every size that a file declares is compared with what is there,
// whoever reads it. One kind of cut leaves no trace. A file that was written as it was recorded, in pieces and without an
// index (fragmented MP4 without sidx, WebM of unknown sizes), and that ends where a piece ends, is a shorter recording.
//
// Frames that are not needed are not decoded, so damage among them goes unseen. Nothing here keeps what it is given, and
// everything may be used by many goroutines at once.
package clip
