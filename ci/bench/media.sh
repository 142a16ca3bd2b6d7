#!/usr/bin/env bash
# Installs the decoders of pictures that -media measures beside, and prints the folder of their
# programs, in the user's cache: libjpeg-turbo, libpng and libwebp of Debian, Pillow and Pillow-SIMD
# of Python's registry. FFmpeg makes the files.
set -euo pipefail
here=$(cd "$(dirname "$0")/media" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/uform-bench/media
packages=(gcc libc6-dev libjpeg62-turbo-dev libpng-dev libwebp-dev zlib1g-dev ffmpeg webp libjpeg-turbo-progs python3-dev python3-venv)
missing=()
for package in "${packages[@]}"; do
	dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
mkdir -p "$cache"
gcc -O2 -Wall -o "$cache/peer" "$here/peer.c" -ljpeg -lpng -lwebp
for pillow in pillow==13.0.0 pillow-simd==12.1.1.post0; do
	folder=$cache/${pillow%%==*}
	[ -x "$folder/bin/python" ] || python3 -m venv "$folder" >&2
	"$folder/bin/python" -c "import PIL" 2>/dev/null ||
		CC="cc -mavx2" "$folder/bin/pip" install --quiet "$pillow" >&2
done
cp "$here/pillow.py" "$cache"
echo "$cache"
