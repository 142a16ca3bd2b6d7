// Package media embeds the sample files, so that examples have something to show wherever they run.
// Each folder has an INDEX.md that says what its files are.
package media

import "embed"

// Files are the folders images, video and audio, without what the files must become.
//
//go:embed images/*.jpg images/*.png images/*.webp video/*.mp4 video/*.webm audio/*.wav audio/*.flac audio/*.mp3 audio/*.ogg audio/*.opus
var Files embed.FS
