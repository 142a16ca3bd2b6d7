#!/bin/sh
# Makes the audio files of audio/ and their expected samples, audio/golden/. Both are committed: the
# tests need none of these tools. Debian 12: ffmpeg flac lame opus-tools vorbis-tools sox espeak-ng.
#
# A golden is the output of another decoder, mixed down to one channel at the file's own rate,
# little-endian, without a header: .f32 for lossless files, .s16 for lossy ones. FFmpeg decodes WAV,
# FLAC and MP3, libopus (opusdec) Opus, libvorbis (oggdec) Vorbis. That of a chained file is those
# of its links, end to end.
set -eu
cd "$(dirname "$0")"
out=$PWD/audio
golden=$out/golden
mkdir -p "$golden"
find "$out" -type f ! -name INDEX.md -delete
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

ff() { ffmpeg -nostdin -v error -y "$@"; }
always='-fflags +bitexact -flags:a +bitexact -map_metadata -1' # the same bytes each time

# The mean of N channels in floats, as an FFmpeg filter.
mean() {
    case $1 in
    1) echo aformat=sample_fmts=fltp ;;
    2) echo 'aformat=sample_fmts=fltp,pan=mono|c0=0.5*c0+0.5*c1' ;;
    6) echo 'aformat=sample_fmts=fltp,pan=mono|c0=A*c0+A*c1+A*c2+A*c3+A*c4+A*c5' | sed 's/A/0.16666666666666667/g' ;;
    esac
}
# exact NAME CHANNELS: the golden of a lossless file.
exact() { ff -i "$out/$1" -af "$(mean "$2")" -f f32le "$golden/$1.f32"; }
# close NAME CHANNELS [FILE]: the golden of a lossy file, or of FILE instead.
close() { ff -i "${3:-$out/$1}" -af "$(mean "$2"),aformat=sample_fmts=s16" -f s16le "$golden/$1.s16"; }

# The sources: a voice, a plucked string over a beat in two channels, six channels of it, and noise.
espeak-ng -v en-us -s 170 -w voice-long.wav 'Sea shells, she sells.'
sox -R voice-long.wav -r 16000 -b 16 voice.wav trim 0.05 0.5 norm -3
sox -R voice.wav -r 48000 voice48.wav
sox -R voice.wav -r 8000 voice8.wav trim 0.1 0.2
sox -R -n -r 48000 -c 2 -b 24 string.wav synth 0.6 pluck G3 synth 0.6 pluck mix D4 gain -9
sox -R -n -r 48000 -c 2 -b 24 beat.wav synth 0.02 whitenoise fade l 0 0.02 0.018 pad 0 0.18 repeat 2 gain -6
sox -R -m string.wav beat.wav -b 24 music48.wav trim 0 0.35 norm -3
sox -R music48.wav -r 44100 -b 16 music.wav dither
sox -R music48.wav -b 24 short24.wav trim 0.18 0.06
sox -R short24.wav -b 16 short.wav dither
sox -R -n -r 16000 -c 1 -b 16 noise.wav synth 0.1 whitenoise gain -3
ff -i short.wav -af 'pan=5.1|FL=FL|FR=FR|FC=0.5*FL|LFE=0.25*FR|BL=-1*FL|BR=-0.5*FR' short6.wav

# WAV.
wav() { # NAME SOX-OPTIONS
    name=$1.wav
    shift
    sox -D voice8.wav "$@" "$out/$name"
    exact "$name" 1
}
wav u8 -b 8 -e unsigned
wav s16 -b 16 -e signed
wav s24 -b 24 -e signed
wav s32 -b 32 -e signed
wav f32 -b 32 -e float
wav f64 -b 64 -e float
wav alaw -e a-law
wav mulaw -e mu-law
ff -i voice8.wav -c:a adpcm_ima_wav $always "$out/adpcm.wav"
ff -i voice8.wav -c:a pcm_s24le -fflags +bitexact -metadata title=Shells "$out/list.wav" && exact list.wav 1
ff -i short24.wav -c:a pcm_s24le $always "$out/stereo.wav" && exact stereo.wav 2
cp short6.wav "$out/six.wav" && exact six.wav 6
ff -i voice8.wav -rf64 always $always "$out/rf64.wav" && exact rf64.wav 1
ff -i voice8.wav -f wav $always - | cat >"$out/streamed.wav" && exact streamed.wav 1
sox -R voice8.wav -c 2 remixed.wav remix 1 1v-0.5

# WAV with a wrong header, and FFmpeg's decoding of it: bytes at an offset are replaced.
lying() { # NAME CHANNELS FILE PLACE BYTES
    cat "$3" >"$out/$1.wav"
    # shellcheck disable=SC2059 # these are bytes
    printf "$5" | dd of="$out/$1.wav" bs=1 seek="$4" conv=notrunc 2>/dev/null
    exact "$1.wav" "$2"
}
block=32 # where a plain fmt chunk has the bytes of a frame
lying align1 1 "$out/s16.wav" $block '\1\0'
lying align8 2 remixed.wav $block '\10\0'
lying align0 1 "$out/f32.wav" $block '\0\0'
(cat "$out/s16.wav" && printf 'abc') >junk.wav
lying junk3 1 junk.wav 4 '\247\14' # the three bytes are counted: 3239
# 24 bits in the upper bytes of four. FFmpeg reads them as floats of Cool Edit, so this has the
# golden of s24.
ff -i "$out/s24.wav" -c:a pcm_s32le $always plain.wav
cat plain.wav >"$out/padded24.wav"
printf '\30\0' | dd of="$out/padded24.wav" bs=1 seek=34 conv=notrunc 2>/dev/null
cat "$golden/s24.wav.f32" >"$golden/padded24.wav.f32"

# FLAC.
encode() { # NAME CHANNELS FILE OPTIONS
    name=$1.flac channels=$2 file=$3
    shift 3
    flac --totally-silent -f --no-padding --no-seektable "$@" -o "$out/$name" "$file"
    exact "$name" "$channels"
}
encode mono 1 voice8.wav -8
encode stereo 2 short.wav -8 -b 1024
encode stereo24 2 short24.wav -8
encode independent 2 short.wav -3
encode fixed 1 voice8.wav -l 0
encode six 6 short6.wav -5
encode noise 1 noise.wav -8
encode block65535 2 short.wav --lax -b 65535
sox -D -n -r 24000 -c 1 -b 16 silence.wav trim 0 0.3
encode silence 1 silence.wav
sox -D short.wav -b 24 wasted.wav
encode wasted 2 wasted.wav
sox -D short24.wav -b 32 short32.wav vol 0.987654321
ff -i short32.wav -c:a pcm_s32le plain32.wav
flac --totally-silent -f --no-padding --no-seektable -o "$out/s32.flac" plain32.wav
ff -i plain32.wav -af "$(mean 2)" -f f32le "$golden/s32.flac.f32" # FFmpeg 5 does not decode 32 bits
sox -D voice8.wav -t raw -b 8 -e signed voice.s8
encode s8 1 voice.s8 --force-raw-format --endian=little --sign=signed --channels=1 --bps=8 --sample-rate=8000
sox -D voice8.wav -t raw -b 16 -e signed voice.s16
flac --totally-silent -f -c --no-padding --no-seektable --force-raw-format --endian=little --sign=signed --channels=1 --bps=16 --sample-rate=11111 - <voice.s16 >"$out/unknown.flac"
exact unknown.flac 1
flac --totally-silent -d -c "$out/unknown.flac" 2>/dev/null | cat >"$out/flac.wav" && exact flac.wav 1 # sizes 0

# MP3.
mpeg() { # NAME CHANNELS FILE OPTIONS
    name=$1.mp3 channels=$2 file=$3
    shift 3
    lame --quiet "$@" "$file" "$out/$name"
    close "$name" "$channels"
}
mpeg cbr 2 music.wav -b 128
mpeg vbr 2 music.wav -V 4
mpeg checksums 2 music.wav -b 112 -p
mpeg plain-stereo 2 music.wav -b 192 -m s
mpeg no-reservoir 2 music.wav -b 128 --nores
sox -R music.wav -r 32000 music32.wav
mpeg joint32 2 music32.wav -b 64 -m j --resample 32
mpeg mono48 1 voice48.wav -b 64 --resample 48
sox -R voice48.wav -r 22050 voice22.wav
mpeg untagged22 1 voice22.wav -b 24 --resample 22.05
mpeg mpeg2 1 voice.wav -b 64 --resample 16
sox -R music.wav -r 24000 music24.wav
lame --quiet -b 128 -m j --resample 24 music24.wav "$out/mpeg2-stereo.mp3"
lame --quiet --decode "$out/mpeg2-stereo.mp3" decoded.wav
close mpeg2-stereo.mp3 2 decoded.wav # FFmpeg has band 18 of 24 kHz end at 330, the standard and LAME at 332
sox -R voice.wav -r 11025 voice11.wav
mpeg mpeg25-11 1 voice11.wav -b 64 --resample 11.025
sox -R voice.wav -r 12000 -c 2 voice12.wav
mpeg mpeg25-12 2 voice12.wav -b 32 --resample 12
sox -R voice.wav -r 8000 voice08.wav
mpeg mpeg25-8 1 voice08.wav -b 64 --resample 8
ff -i music.wav -c:a libmp3lame -b:a 128k $always "$out/lavc.mp3" && close lavc.mp3 2
lame --quiet -V 4 --id3v2-only --tt Shells --ta Sea music.wav tagged.mp3
cat tagged.mp3 >"$out/tagged.mp3"
printf 'TAGShells' | dd of=id3v1 bs=128 count=1 conv=sync 2>/dev/null
cat id3v1 >>"$out/tagged.mp3"
close tagged.mp3 2 tagged.mp3
lame --quiet --freeformat -b 100 --resample 44.1 music.wav "$out/free.mp3"
lame --quiet --decode "$out/mpeg25-8.mp3" - | cat >"$out/lame.wav" && exact lame.wav 1 # sizes 2^31 - 1 and more
lame --quiet --decode "$out/free.mp3" decoded.wav
close free.mp3 2 decoded.wav # FFmpeg reads no free format
ff -i voice.wav -c:a mp2 -b:a 64k -f mp2 $always "$out/layer2.mp3"

# Opus. opusdec trims, applies the gain and gives floats.
opus() { # NAME CHANNELS FILE OPTIONS
    name=$1.opus channels=$2 file=$3
    shift 3
    opusenc --quiet --serial 7 --padding 0 --discard-comments "$@" "$file" "$out/$name"
    opusdec --quiet --float --rate 48000 "$out/$name" decoded.wav
    close "$name" "$channels" decoded.wav
}
opus silk8 1 voice48.wav --bitrate 8 --speech
opus silk12 1 voice48.wav --bitrate 12 --speech
opus silk60 1 voice48.wav --bitrate 12 --speech --framesize 60
opus hybrid 1 voice48.wav --bitrate 24 --speech
opus celt 2 music48.wav --bitrate 64 --music
opus celt2.5 2 music48.wav --bitrate 96 --music --framesize 2.5
opus celt60 2 music48.wav --bitrate 48 --music --framesize 60
sox -R music48.wav six48.wav remix 1 2 1v0.5 2v0.25 1v-1 2v-0.5
ff -i six48.wav -c:a pcm_s24le -channel_layout 5.1 six51.wav
opus six 6 six51.wav --bitrate 160
sox -R music48.wav mono48.wav remix 1
ff -i mono48.wav -c:a libopus -b:a 32k $always "$out/lavc.opus"
opusdec --quiet --float --rate 48000 "$out/lavc.opus" decoded.wav
close lavc.opus 1 decoded.wav
cat "$out/celt.opus" "$out/lavc.opus" >"$out/chained.opus"
sox -R voice48.wav late48.wav pad 0.004 vol 0.7
sox -R -M voice48.wav late48.wav two48.wav
for name in 1/silk-wide/12k/voice48 2/silk-stereo/24k/two48; do
    IFS=/ read -r channels name rate file <<NAMES
$name
NAMES
    ff -i "$file.wav" -c:a libopus -application voip -b:a "$rate" -cutoff 8000 $always "$out/$name.opus"
    opusdec --quiet --float --rate 48000 "$out/$name.opus" decoded.wav
    close "$name.opus" "$channels" decoded.wav
done

# Vorbis.
vorbis() { # NAME CHANNELS FILE OPTIONS
    name=$1.ogg channels=$2 file=$3
    shift 3
    oggenc -Q -s 7 --discard-comments "$@" -o "$out/$name" "$file"
    oggdec -Q -o decoded.wav "$out/$name"
    close "$name" "$channels" decoded.wav
}
vorbis stereo 2 music.wav -q 3
vorbis mono 1 voice.wav -q 0
vorbis six 6 six51.wav -q 0
ff -i voice.wav -c:a libvorbis -q:a 1 $always "$out/lavc.ogg"
oggdec -Q -o decoded.wav "$out/lavc.ogg"
close lavc.ogg 1 decoded.wav
oggenc -Q -s 8 --discard-comments -q 0 -o second.ogg voice.wav
cat "$out/mono.ogg" second.ogg >"$out/chained.ogg"
flac --totally-silent -f --ogg --serial-number=9 -o "$out/flac.ogg" voice8.wav
