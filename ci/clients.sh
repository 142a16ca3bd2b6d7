#!/usr/bin/env bash
# Asks "uform serve" by the clients that people have: in Go by the tests of ci/clients, with a
# browser where there is chromium, and in Python by OpenAI's client, in an environment of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go run ./ci/testcount -C ci/clients ./...
go build -C cmd/uform -o "$folder/uform" .
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --disable-pip-version-check openai==3.57.0
"$folder/python/bin/python" ci/clients/openai.py "$folder/uform"
