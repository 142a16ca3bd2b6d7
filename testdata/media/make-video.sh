#!/bin/sh
# Makes the clips of video/ and their expected frames, video/golden/. Both are committed: the tests
# need none of these tools. Debian 12: ffmpeg python3.
#
# A golden is four frames of a clip, one below the other, as the ffmpeg program decodes and turns
# them, in the colours that frames.py computes. The frames are selected here, by hand, by the rule
# of section 10 of docs/checkpoint.md.
set -eu
cd "$(dirname "$0")"
here=$PWD
out=$here/video
golden=$out/golden
mkdir -p "$golden"
find "$out" -type f ! -name INDEX.md -delete
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

ff() { ffmpeg -nostdin -v error -y "$@"; }
same='-fflags +bitexact -flags:v +bitexact -flags:a +bitexact -map_metadata -1 -threads 1' # the same bytes each time
plain='-bsf:v filter_units=remove_types=6'                                                  # without x264's signature
picture='-f lavfi -i testsrc2=s=64x48:r=10:d=2'
sound='-f lavfi -i sine=d=2:f=440:r=8000'
h264='-c:v libx264 -pix_fmt yuv420p -g 8 -bf 2 -crf 30'

# Clips that contain the same stream in another container have no golden of their own; INDEX.md
# names the clip whose golden they share.

# frames NAME N...: the golden of these frames, counted from 0 in the order of presentation.
frames() {
    name=$1
    shift
    python3 "$here/frames.py" "$out/$name" "$golden/$name.ppm" "$@"
}
# third NAME: the golden of 20 equal frames. The times are 2.5, 7.5, 12.5 and 17.5 frames after the
# first.
third() { frames "$1" 2 7 12 17; }

# turn_movie FROM TO: FROM with a matrix in its movie header that turns to the right.
turn_movie() {
    python3 - "$1" "$2" <<'PYTHON'
import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())
at = data.index(b"mvhd") + 40
assert data[at:at + 20] == struct.pack(">5i", 1 << 16, 0, 0, 0, 1 << 16)
data[at:at + 20] = struct.pack(">5i", 0, 1 << 16, 0, -1 << 16, 0)
open(sys.argv[2], "wb").write(data)
PYTHON
}

# MP4.
# shellcheck disable=SC2086 # these are lists of options
{
    ff $sound $picture -map 0 -map 1 -c:a aac -b:a 16k $h264 $plain $same "$out/h264.mp4" && third h264.mp4
    ff -i "$out/h264.mp4" -map 0:v -c copy $same -movflags frag_keyframe+empty_moov+default_base_moof "$out/fragmented.mp4"
    ff -i "$out/h264.mp4" -c copy $same -movflags frag_keyframe+empty_moov+default_base_moof+global_sidx "$out/indexed.mp4"
    ff -i "$out/h264.mp4" -map 0:v -c copy $same -movflags faststart "$out/rotated-0.mp4"
    for turn in 90 180 270; do # to the right; FFmpeg counts to the left
        ff -i "$out/h264.mp4" -map 0:v -c copy $same -movflags faststart -metadata:s:v rotate=$((360 - turn)) "$out/rotated-$turn.mp4" && third rotated-$turn.mp4
    done
    # The matrix of the movie counts, too, after that of the track.
    turn_movie "$out/rotated-0.mp4" "$out/rotated-movie.mp4" && third rotated-movie.mp4
    turn_movie "$out/rotated-90.mp4" "$out/rotated-both.mp4" && third rotated-both.mp4
    # Key frames are 0, 8 and 16: a copy from the sixth frame on begins with the first, which the
    # edit list then hides.
    ff -ss 0.6 -i "$out/h264.mp4" -map 0:v -c copy $same "$out/edited.mp4"
    frames edited.mp4 1 5 8 12 # 14 frames: 1.75, 5.25, 8.75, 12.25
    # Frames begin at 0, 1, 3, 6, 10, 15, 21 and 28 halves of a second, the last lasts 1: of 29, the
    # times are 3.625, 10.875, 18.125, 25.375.
    ff -f lavfi -i testsrc2=s=64x48:r=2:d=4 -vf "setpts=N*(N+1)/2" -vsync passthrough -enc_time_base 1:2 $h264 $plain $same "$out/unequal.mp4"
    frames unequal.mp4 2 4 5 6
    ff -f lavfi -i testsrc2=s=64x48:r=10:d=0.2 $h264 $plain $same "$out/two.mp4" # 2 frames: 0.25, 0.75, 1.25, 1.75
    frames two.mp4 0 1
    ff $picture -vf scale=50x38 $h264 $plain $same "$out/cropped.mp4" && third cropped.mp4
    ff $picture -vf scale=out_color_matrix=bt709 -colorspace bt709 -color_primaries bt709 -color_trc bt709 $h264 $plain $same "$out/bt709.mp4" && third bt709.mp4
    ff $picture -c:v libx264 -pix_fmt yuvj420p -g 8 -crf 30 $plain $same "$out/full-range.mp4" && third full-range.mp4
    ff $picture -c:v libx265 -x265-params log-level=none:info=0:keyint=8 -pix_fmt yuv420p10le -tag:v hvc1 -crf 30 $same "$out/hevc.mp4" && third hevc.mp4
    ff $picture -c:v mpeg4 -q:v 8 -g 8 -bf 1 $same "$out/mpeg4.mp4" && third mpeg4.mp4
    ff $picture -c:v mjpeg -q:v 12 -pix_fmt yuvj420p $same "$out/mjpeg.mp4" && third mjpeg.mp4
    ff $picture -c:v mpeg2video -q:v 12 $same "$out/mpeg2.mp4"
    ff $sound -c:a aac -b:a 16k $same "$out/sound.mp4"
    ff $sound -c:a libopus -ar 8000 -b:a 8k $same "$out/sound.webm"
}

# WebM.
vp8='-c:v libvpx -b:v 60k'
# shellcheck disable=SC2086
{
    ff $picture $vp8 -g 8 $same "$out/vp8.webm" && third vp8.webm
    ff $picture $vp8 -g 1 $same "$out/vp8-keys.webm" && third vp8-keys.webm
    # A frame that is decoded and never shown requires two passes.
    ff $picture $vp8 -g 20 -auto-alt-ref 1 -lag-in-frames 10 $same -pass 1 -f null -
    ff $picture $vp8 -g 20 -auto-alt-ref 1 -lag-in-frames 10 $same -pass 2 "$out/vp8-hidden.webm" && third vp8-hidden.webm
    ff $picture -c:v libvpx-vp9 -b:v 60k -g 8 $same "$out/vp9.webm" && third vp9.webm
    ff $picture $sound -c:v libvpx-vp9 -b:v 60k -g 8 -c:a libopus -ar 8000 -b:a 8k $same -f webm - | cat >"$out/piped.webm" && third piped.webm
    ff $picture -c:v libaom-av1 -cpu-used 8 -b:v 60k -g 8 $same "$out/av1.webm" && third av1.webm
    ff -i "$out/h264.mp4" -map 0:v -c copy $same -f matroska "$out/h264.webm"
    ff -i "$out/mjpeg.mp4" -c copy $same -f matroska "$out/mjpeg.webm"
}

# Frames of odd sizes, whose chroma is rounded up, in every layout of chroma. Of ten equal frames,
# the times are 1.25, 3.75, 6.25, 8.75.
odd() { # NAME SIZE OPTIONS
    name=$1 size=$2
    shift 2
    ff -f lavfi -i testsrc2=s=66x50:r=10:d=1 -vf scale="$size" "$@" $same "$out/$name" && frames "$name" 1 3 6 8
}
vp9='-c:v libvpx-vp9 -b:v 60k -g 8'
# shellcheck disable=SC2086
{
    odd odd-vp8.webm 33x25 $vp8 -g 8
    odd odd-420.webm 33x25 $vp9 -pix_fmt yuv420p
    odd odd-422.webm 33x25 $vp9 -pix_fmt yuv422p
    odd odd-440.webm 33x25 $vp9 -pix_fmt yuv440p
    odd odd-444.webm 33x25 $vp9 -pix_fmt yuv444p
    odd odd-420-deep.webm 33x25 $vp9 -pix_fmt yuv420p10le
    odd odd-422-full.webm 33x25:out_color_matrix=bt709:out_range=full $vp9 -colorspace bt709 -color_range pc -pix_fmt yuv422p
    odd odd-av1.webm 33x25 -c:v libaom-av1 -cpu-used 8 -b:v 60k -g 8
    odd odd-mpeg4.mp4 33x25 -c:v mpeg4 -q:v 8 -g 8
    odd odd-444.mp4 33x25 -c:v libx264 -pix_fmt yuv444p -crf 30 $plain
    odd odd-422-deep.mp4 34x25 -c:v libx264 -pix_fmt yuv422p10le -crf 30 $plain
    odd odd-gray.mp4 33x25 -c:v libx265 -x265-params log-level=none:info=0:keyint=8:range=limited -pix_fmt gray -tag:v hvc1 -crf 8
    odd dot.webm 1x1 $vp9 -pix_fmt yuv420p
    odd dot-444.mp4 1x1 -c:v libx264 -pix_fmt yuv444p -crf 30 $plain
}
# Motion JPEG without Huffman tables, as cameras write it: the standard ones are meant. The frames
# are those of mjpeg.mp4.
#
# shellcheck disable=SC2086
{
    ff $picture -c:v mjpeg -q:v 12 -huffman default -pix_fmt yuvj420p $same -f image2 "frame-%02d.jpg"
    for frame in frame-*.jpg; do python3 "$here/tableless.py" <"$frame" >"tableless-$frame"; done
    ff -framerate 10 -c:v mjpeg -i tableless-frame-%02d.jpg -c copy $same "$out/mjpeg-nodht.mp4"
    ff -i "$out/mjpeg-nodht.mp4" -c copy $same -f matroska "$out/mjpeg-nodht.webm"
}

# The output of a browser's recorder: no size is known in advance, and a cluster ends where the next
# begins.
python3 - "$out/piped.webm" "$out/unsized.webm" <<'PYTHON'
import sys

def number(data, at, marker):
    length = 9 - data[at].bit_length()
    value = int.from_bytes(data[at:at + length], "big")
    return value if marker else value & ~(1 << 7 * length), length

data = open(sys.argv[1], "rb").read()
written, at, clusters = bytearray(), 0, 0
while at < len(data):
    name, length = number(data, at, True)
    size, width = number(data, at + length, False)
    head = data[at:at + length]
    body = at + length + width
    if name == 0x18538067:  # the segment: into it
        written += head + b"\xff"
        at = body
    elif name == 0x1F43B675:
        parts = body
        while parts < body + size:  # some blocks, then a new cluster of the same time
            child, n = number(data, parts, True)
            extent, m = number(data, parts + n, False)
            if child == 0xE7:
                time = data[parts:parts + n + m + extent]
            else:
                if clusters % 3 == 0:
                    written += head + b"\xff" + time
                clusters += 1
                written += data[parts:parts + n + m + extent]
            parts += n + m + extent
        at = body + size
    else:
        written += data[at:body + size]
        at = body + size
open(sys.argv[2], "wb").write(written)
PYTHON

# The output of another demuxer: when a sample is shown and for how long, its size, whether it is a
# key, and a checksum.
for clip in "$out"/*.mp4 "$out"/*.webm; do
    case $clip in
    */sound.*) continue ;;
    *.mp4) edits='-ignore_editlist 1' ;;
    *) edits= ;;
    esac
    # shellcheck disable=SC2086
    ffprobe -v error $edits -select_streams v:0 -show_data_hash adler32 -show_entries packet=pts,duration,size,flags,data_hash \
        -of csv=p=0 "$clip" >"$golden/$(basename "$clip").csv"
done
