#!/bin/sh
# Makes the image files of images/ and their expected pixels, images/golden/. Both are committed:
# the tests need none of these tools. Debian 12: imagemagick webp libjpeg-turbo-progs libjpeg-dev
# libimage-exiftool-perl netpbm python3 gcc.
#
# A golden is the output of another decoder: libjpeg (djpeg, inks.c), libpng (ImageMagick), libwebp
# (dwebp). Steps of section 9 of docs/checkpoint.md that no tool does exactly are done by images.py,
# which was written from that page.
set -eu
cd "$(dirname "$0")"
here=$PWD
out=$here/images
golden=$out/golden
rm -rf "$out"/*.jpg "$out"/*.png "$out"/*.webp "$golden"
mkdir -p "$golden"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O1 -o "$work/inks" inks.c -ljpeg
cd "$work"

page() { python3 "$here/images.py" "$@"; }
# flat WIDTH HEIGHT lays what ImageMagick reads from stdin over the background.
flat() { convert - -depth 16 -endian MSB rgba:- | page lay "$1" "$2"; }

width=61 height=41
page scene $width $height 3 >scene.ppm
page scene 96 64 5 >even.ppm
page scene 5 3 1 >small.ppm
page scene 1 1 2 >dot.ppm
convert scene.ppm -colorspace Gray -depth 8 scene.pgm
convert -size ${height}x$width gradient: -rotate 90 -depth 8 alpha.pgm
convert scene.ppm alpha.pgm -alpha off -compose CopyOpacity -composite -depth 8 scene.pam

# JPEG. Sampling factors are those of luma; chroma has 1x1.
jpeg() { # NAME OPTIONS
    name=$1
    shift
    cjpeg -quality 90 -dct int "$@" >"$out/$name.jpg"
    djpeg -dct int -pnm "$out/$name.jpg" | convert - -depth 8 "ppm:$golden/$name.jpg.ppm"
}
jpeg baseline -sample 1x1 <scene.ppm
for sampling in 1x2 2x1 2x2 4x1 4x2; do
    jpeg baseline-$sampling -sample $sampling <scene.ppm
done
jpeg restarts -sample 2x2 -restart 3B <scene.ppm
jpeg extended -quality 2 -sample 1x1 <scene.ppm
jpeg progressive -progressive -sample 2x2 <scene.ppm
jpeg progressive-restarts -progressive -sample 1x1 -restart 1 <scene.ppm
jpeg gray -grayscale <scene.ppm
jpeg gray-2x2 -grayscale -sample 2x2 <scene.ppm
jpeg gray-progressive -progressive -grayscale <scene.ppm
jpeg rgb -rgb -sample 1x1 <scene.ppm
jpeg dot -sample 2x2 <dot.ppm
jpeg small -sample 2x2 <small.ppm
printf '0;\n1;\n2;\n' >scans
jpeg scans -sample 2x2 -scans scans <scene.ppm
python3 "$here/tableless.py" <"$out/baseline-2x2.jpg" >"$out/nodht.jpg"
# Scans of one component restart by blocks, not by the units of the picture. The pixels are those of
# the baseline files.
for variant in 1x1-1B 2x1-2B 2x2-1B 2x2-5B 1x2-1 4x1-3B 4x2-2; do
    sampling=${variant%-*} restart=${variant#*-}
    cjpeg -quality 90 -dct int -sample $sampling -scans scans -restart $restart <scene.ppm >"$out/scans-restarts-$variant.jpg"
    cjpeg -quality 90 -dct int -sample $sampling -progressive -restart $restart <scene.ppm >"$out/progressive-restarts-$variant.jpg"
done
cjpeg -quality 90 -dct int -grayscale -restart 1B <scene.ppm >"$out/gray-restarts-1B.jpg"
cjpeg -quality 90 -dct int -grayscale -progressive -restart 3B <scene.ppm >"$out/gray-progressive-restarts-3B.jpg"
# Sampling factors that no camera writes: thirds, components that are all different.
jpeg thirds -sample 3x1 <scene.ppm
jpeg apart -sample 2x2,2x1,1x2 -restart 2B <scene.ppm
cjpeg -quality 90 -arithmetic <scene.ppm >"$out/arithmetic.jpg"

# Four inks. The twin is the RGB picture that the inks were made from, before JPEG.
page inks scene.ppm >scene.light
page light adobe $width $height <scene.light >"$golden/twin.ppm"
inks() { # NAME COLOURS SAMPLING SAMPLES KIND
    ./inks write $width $height "$2" "$3" <"$4" >"$out/$1.jpg"
    ./inks read <"$out/$1.jpg" | page light "$5" $width $height >"$golden/$1.jpg.ppm"
}
inks cmyk cmyk 11 scene.light adobe
inks ycck ycck 11 scene.light adobe
inks ycck-2x2 ycck 22 scene.light adobe
python3 -c 'import sys; sys.stdout.buffer.write(bytes(255 - v for v in sys.stdin.buffer.read()))' <scene.light >scene.inks
inks cmyk-plain plain 11 scene.inks plain

# One photograph in eight orientations. The transformations of jpegtran are lossless at sizes of
# whole blocks.
cjpeg -quality 90 -sample 2x2 even.ppm >upright.jpg
djpeg -dct int upright.jpg >"$golden/oriented.ppm"
orientation=0
for turn in '-crop 96x64+0+0' '-flip horizontal' '-rotate 180' '-flip vertical' -transpose '-rotate 270' -transverse '-rotate 90'; do
    orientation=$((orientation + 1))
    order=II
    [ $((orientation % 3)) -eq 0 ] || order=MM
    # shellcheck disable=SC2086 # a turn is an option and its argument
    jpegtran -copy none $turn upright.jpg >"$out/oriented-$orientation.jpg"
    exiftool -q -overwrite_original -n "-ExifByteOrder=$order" "-Orientation=$orientation" "$out/oriented-$orientation.jpg"
done

# PNG.
png() { # NAME, and the file on stdin
    cat >"$out/$1.png"
    flat $width $height <"$out/$1.png" >"$golden/$1.png.ppm"
}
magick() { # NAME COLOUR-TYPE BITS OPTIONS: an image through ImageMagick, whose samples have 16 bits
    name=$1 colours=$2 bits=$3
    shift 3
    convert "$@" -strip -define png:color-type="$colours" -define png:bit-depth="$bits" -define png:exclude-chunks=all png:- | png "$name"
}
for bits in 1 2 4 8; do
    magick gray-$bits 0 $bits scene.pgm -depth $bits
    magick palette-$bits 3 $bits scene.ppm -dither None -colors $((1 << bits))
done
magick gray-16 0 16 scene.pgm -depth 16 -blur 0x0.8
magick rgb-8 2 8 scene.ppm
magick rgb-16 2 16 scene.ppm -depth 16 -blur 0x0.8
magick gray-alpha-8 4 8 scene.pgm alpha.pgm -alpha off -compose CopyOpacity -composite
magick gray-alpha-16 4 16 scene.pgm alpha.pgm -depth 16 -alpha off -compose CopyOpacity -composite -blur 0x0.8
magick rgb-alpha-8 6 8 scene.pam
magick rgb-alpha-16 6 16 scene.pam -depth 16 -blur 0x0.8
magick rgb-alpha-8-interlaced 6 8 scene.pam -interlace PNG
magick rgb-16-interlaced 2 16 scene.ppm -depth 16 -blur 0x0.8 -interlace PNG
magick palette-4-interlaced 3 4 scene.ppm -dither None -colors 16 -interlace PNG
pnmtopng -transparent '=#FFFFFF' scene.ppm | png rgb-8-transparent
convert scene.ppm -dither None -colors 40 -depth 8 few.ppm
pnmtopng -force -transparent "=#$(convert few.ppm -format '%[hex:p{30,20}]' info:)" few.ppm | png rgb-8-few-transparent
pnmtopng -transparent "=#$(convert few.ppm -format '%[hex:p{30,20}]' info:)" few.ppm | png palette-transparent
convert scene.pgm -depth 8 -posterize 6 few.pgm
pnmtopng -force -transparent "=#$(convert few.pgm -format '%[hex:p{30,20}]' info: | cut -c1-2 | sed 's/\(.*\)/\1\1\1/')" few.pgm | png gray-8-transparent
convert dot.ppm -strip -define png:color-type=2 "$out/dot.png"
cp dot.ppm "$golden/dot.png.ppm"

# WebP. dwebp's dithering is disabled, since it is not part of the format.
webp() { # NAME WIDTH HEIGHT
    dwebp -quiet -nodither -pam "$out/$1.webp" -o decoded.pam
    flat "$2" "$3" <decoded.pam >"$golden/$1.webp.ppm"
}
convert scene.ppm scene.png
convert scene.pam -depth 8 png32:alpha.png
cwebp -quiet -q 80 scene.png -o "$out/lossy.webp"
cwebp -quiet -q 5 -sns 100 -segments 4 -f 100 scene.png -o "$out/lossy-low.webp"
cwebp -quiet -q 60 -f 60 -nostrong scene.png -o "$out/lossy-simple-filter.webp"
cwebp -quiet -q 80 -partition_limit 0 -mt -af scene.png -o "$out/lossy-auto-filter.webp"
cwebp -quiet -q 80 -crop 0 0 60 40 scene.png -o "$out/lossy-even.webp"
cwebp -quiet -lossless scene.png -o "$out/lossless.webp"
cwebp -quiet -lossless -exact alpha.png -o "$out/lossless-alpha.webp"
convert few.ppm few.png
cwebp -quiet -lossless few.png -o "$out/lossless-palette.webp"
cwebp -quiet -q 80 -alpha_method 1 -alpha_filter best alpha.png -o "$out/lossy-alpha.webp"
cwebp -quiet -q 80 -alpha_method 0 -alpha_filter fast alpha.png -o "$out/lossy-alpha-raw.webp"
cwebp -quiet -q 80 -alpha_method 1 -alpha_q 40 -alpha_filter none alpha.png -o "$out/lossy-alpha-few.webp"
for name in lossy lossy-low lossy-simple-filter lossy-auto-filter lossless lossless-alpha lossless-palette lossy-alpha lossy-alpha-raw lossy-alpha-few; do
    webp $name $width $height
done
webp lossy-even 60 40
cwebp -quiet -q 80 dot.ppm -o "$out/dot-lossy.webp" && webp dot-lossy 1 1
cwebp -quiet -lossless dot.ppm -o "$out/dot-lossless.webp" && webp dot-lossless 1 1
# A photograph's metadata makes a file extended. Its orientation is ignored: only that of a JPEG is
# used.
exiftool -q -n -Orientation=6 -o turned.jpg "$out/baseline.jpg"
cwebp -quiet -q 80 -metadata all turned.jpg -o "$out/lossy-metadata.webp" && webp lossy-metadata $width $height

# Animations. The second frame is another picture, so a decoder that returns it fails.
convert scene.ppm -negate other.png
convert scene.ppm -crop 30x20+20+10 +repage part.png
convert scene.pam -crop 31x21+20+10 +repage -depth 8 png32:part-alpha.png
for name in other part part-alpha alpha; do
    cwebp -quiet -q 80 $name.png -o $name.webp
    cwebp -quiet -lossless $name.png -o $name-lossless.webp
done
animation() { # NAME FIRST X Y: the first frame at a place, and the other picture over the whole canvas
    webpmux -frame "$2.webp" "+100+$3+$4+0-b" -frame other.webp +100 -loop 0 -o "$out/$1.webp" 2>/dev/null
    dwebp -quiet -nodither -pam "$2.webp" -o decoded.pam
    convert decoded.pam -depth 16 -endian MSB rgba:- | page lay "$(identify -format %w "$2.webp")" "$(identify -format %h "$2.webp")" >frame.ppm
    page place $width $height "$3" "$4" frame.ppm >"$golden/$1.webp.ppm"
}
cp "$out/lossy.webp" whole.webp
animation animated whole 0 0
animation animated-alpha alpha 0 0
animation animated-part part 20 10
animation animated-part-alpha part-alpha 20 10
animation animated-part-lossless part-alpha-lossless 30 20

# The stages after decoding.
page scene 3 90 7 >"$golden/tall.ppm"
page scene 120 2 8 >"$golden/wide.ppm"
page scene 16 16 9 >"$golden/square.ppm"
cp scene.ppm "$golden/scene.ppm"
cp small.ppm "$golden/small.ppm"
cp dot.ppm "$golden/dot.ppm"
for case in scene.32 scene.8 small.16 dot.8 tall.16 wide.16 square.16; do
    page resize "$golden/${case%.*}.ppm" "${case#*.}" >"$golden/resize-${case%.*}-${case#*.}.f32"
done
page patches "$golden/scene.ppm" 32 8 >"$golden/patches-scene-32-8.f32"
page patches "$golden/small.ppm" 16 16 >"$golden/patches-small-16-16.f32"
# From files to patches, through the goldens above.
page patches "$golden/oriented.ppm" 16 8 >"$golden/chain-oriented-6.jpg.f32"
for file in progressive.jpg ycck.jpg rgb-alpha-16.png lossy-alpha.webp animated-part.webp; do
    page patches "$golden/$file.ppm" 16 8 >"$golden/chain-$file.f32"
done
