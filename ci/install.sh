#!/usr/bin/env bash
# Installs what the checks need on a Debian machine with Go: the compilers of every target, an
# emulator, and staticcheck at a pinned version.
set -euo pipefail
packages=(
	gcc g++ libc6-dev
	gcc-i686-linux-gnu gcc-arm-linux-gnueabihf gcc-aarch64-linux-gnu gcc-riscv64-linux-gnu
	libc6-dev-i386-cross libc6-dev-armhf-cross libc6-dev-arm64-cross libc6-dev-riscv64-cross
	gcc-mingw-w64-x86-64 gcc-mingw-w64-i686
	libc6-i386 musl musl-dev musl-tools wine64
	qemu-user make libavcodec59 libavutil57
	pkg-config libavformat-dev libavcodec-dev libavutil-dev
	libjpeg-turbo-progs webp
	openmpi-bin libopenmpi3 mpich libmpich12
	curl chromium python3-venv
)
missing=()
for package in "${packages[@]}"; do
	dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
go install honnef.co/go/tools/cmd/staticcheck@v0.8.2
