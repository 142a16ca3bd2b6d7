// Package clip returns frames of video files, selected by section 10 of docs/checkpoint.md.
//
//	frames, err := clip.Frames(file, 8, nil) // 8 frames, evenly spread over the clip
//	pixels := raster.Resize(&frames[0], 224) // and on with package raster
//
// # From file to frames
//
// The format is detected by the first bytes of a file (format.go). The demuxers are here, in Go:
// MP4 (mp4.go and the files whose names begin with mp4: the boxes, the tables of plain files, the
// fragments of others, the description of a codec) and WebM (webm.go and webm_*.go). Both return a
// track: its samples in decoding order, when each is shown, and how the track is turned (track.go).
// From it follows which samples are needed (timeline.go), and what must be decoded to have them
// (run.go).
//
// Decoding is done in Go where possible (decode.go): Motion JPEG, and VP8 whose needed frames are
// key frames, are pictures that package raster decodes (still.go). All other codecs are decoded by
// FFmpeg's libraries, if the system has them: ffmpeg.go says what is called, ffmpeg_load.go finds
// it at run time, ffmpeg_session.go decodes and ffmpeg_convert.go passes the planes to package
// raster. No C compiler is involved. The choice depends on the file alone, so installing FFmpeg
// never changes a result; it only turns errors into results.
//
// # FFmpeg and untrusted files
//
// FFmpeg never sees a file, a name or a container. It gets the samples of one track, one by one,
// for a decoder that this package names, for one of six codecs (codec.go). It opens nothing, and
// its demuxers, filters and protocols are not loaded. It decodes inside of this process, though: a
// memory error in its code is one of the program. A program that must not take that risk is built
// with the tag uform_static, and then decodes what Go can.
//
// # Guarantees
//
// A file that ends early is an error, never fewer frames: every size that a file declares is
// compared with the data, whoever decodes it. One kind of cut cannot be detected. A file that was
// written as it was recorded, in pieces and without an index (fragmented MP4 without sidx, WebM of
// unknown sizes), and that ends where a piece ends, is a shorter recording.
//
// Frames that are not needed are not decoded, so damage in them is not detected; nor is damage that
// a codec decodes to a picture. A needed frame that does not decode, such as those before the first
// key of a clip that was cut out of a longer one, is an error.
//
// Colours are made by package raster, like those of a WebP: by the matrix and the levels that the
// stream or the file names, else by BT.601 of limited levels, with chroma interpolated. No function
// keeps its arguments, and everything may be used by many goroutines at once.
package clip
