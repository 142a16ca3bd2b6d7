#!/usr/bin/env bash
# Installs PostgreSQL, and pgvector: Debian's package, or, where this release of Debian has none,
# built from the source of the package in a newer one.
set -euo pipefail
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }

dpkg -s postgresql postgresql-common >/dev/null 2>&1 || { apt-get update -qq && install postgresql; }
release=$(pg_lsclusters -h 2>/dev/null | awk 'END { print $1 }')
release=${release:-$(ls /usr/lib/postgresql | sort -n | tail -1)}
extension=/usr/share/postgresql/$release/extension/vector.control
[ -e "$extension" ] && exit
apt-get update -qq
install "postgresql-$release-pgvector" 2>/dev/null && exit
install "postgresql-server-dev-$release" make gcc
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
archive=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -1)
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive trixie main" >"$folder/sources.list"
mkdir -p "$folder/lists/partial"
newer=(-o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::Lists="$folder/lists")
cd "$folder"
apt-get "${newer[@]}" update -qq
apt-get "${newer[@]}" source -qq --download-only -o APT::Sandbox::User=root pgvector
tar xzf pgvector_*.orig.tar.gz
make -s -C pgvector-*/ PG_CONFIG="/usr/lib/postgresql/$release/bin/pg_config" with_llvm=no OPTFLAGS= install >/dev/null
[ -e "$extension" ]
