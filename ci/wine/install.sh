#!/usr/bin/env bash
# Installs what Debian's Wine 8 lacks into a folder, if it is missing, and prints the folder:
# - The 32-bit half belongs to another architecture, which apt would install with a hundred
#   packages. The 64-bit half can run 32-bit programs if it has the 32-bit DLLs: they are extracted
#   from that package without installing it, with package lists apart from the system's.
# - bcryptprimitives.dll, where Go's runtime gets random numbers, is newer than Wine 8:
#   bcryptprimitives.c replaces it.
set -euo pipefail
cd "$(dirname "$0")"
folder=${XDG_CACHE_HOME:-$HOME/.cache}/uform-go/wine-$(cat install.sh bcryptprimitives.c | sha256sum | cut -c1-16)
if [ -e "$folder/made" ]; then
	echo "$folder"
	exit
fi
{
	rm -rf "${folder%-*}"-*
	mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
	options=(-qq -o APT::Architecture=i386 -o APT::Architectures=i386 -o APT::Sandbox::User=root
		-o "Dir::State::Lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt/cache")
	apt-get "${options[@]}" update || echo "some lists are missing; the one that counts may be there"
	(cd "$folder/apt" && apt-get "${options[@]}" download libwine)
	mkdir "$folder/32"
	dpkg-deb --fsys-tarfile "$folder"/apt/libwine_*.deb |
		tar -x -C "$folder/32" --strip-components=5 ./usr/lib/i386-linux-gnu/wine/i386-windows
	rm -rf "$folder/apt"

	x86_64-w64-mingw32-gcc -O2 -shared -o "$folder/64.dll" bcryptprimitives.c -ladvapi32
	i686-w64-mingw32-gcc -O2 -shared -Wl,--kill-at -o "$folder/32.dll" bcryptprimitives.c -ladvapi32
	touch "$folder/made"
} >&2
echo "$folder"
