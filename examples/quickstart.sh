#!/bin/sh
# A first look at mirror, without an account: builds it, serves a small bucket from a temporary folder, mirrors it, and
# mirrors it again to show that nothing is left to do.
#
#   sh examples/quickstart.sh
#
# Needs Swift 6.2 or newer on Debian 12. Missing Debian packages are installed where we are root or sudo asks for no
# password. Nothing is left behind but the build in .build; it is safe to run again.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
. Tests/packages.sh

need_swift
need_packages $build_packages

echo "== build"
swift build -c release --static-swift-stdlib --product mirror
swift build -c release --static-swift-stdlib --product storage-emulator
bin=$(swift build -c release --static-swift-stdlib --show-bin-path)

work=$(mktemp -d)
emulator=
clean_up() {
  if [ -n "$emulator" ]; then
    kill "$emulator" 2>/dev/null || true
    wait "$emulator" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "== a bucket of sample files"
bucket=$work/buckets/quickstart
mkdir -p "$bucket/images" "$bucket/notes" "$bucket/models/größe L"
head -c 3145728 /dev/urandom >"$bucket/images/stars.jpg"
echo "Names may hold blanks and any letters." >"$bucket/notes/read me first.txt"
head -c 1048576 /dev/urandom >"$bucket/models/small.bin"
head -c 5242880 /dev/urandom >"$bucket/models/größe L/大.bin"
echo "v1" >"$bucket/models/version.txt"
echo "not included by the manifest" >"$bucket/models/draft.tmp"

echo "== storage-emulator"
"$bin/storage-emulator" "$work/buckets" --port 0 --ready-file "$work/ready" &
emulator=$!
tries=0
while [ ! -s "$work/ready" ]; do
  if ! kill -0 "$emulator" 2>/dev/null || [ "$tries" -ge 100 ]; then
    echo "quickstart: storage-emulator did not start" >&2
    exit 1
  fi
  tries=$((tries + 1))
  sleep 0.1
done
FIREBASE_STORAGE_EMULATOR_HOST=127.0.0.1:$(cat "$work/ready")
QUICKSTART_ROOT=$work/mirror
export FIREBASE_STORAGE_EMULATOR_HOST QUICKSTART_ROOT

manifest=manifests/quickstart.yaml

echo "== mirror plan $manifest"
"$bin/mirror" plan "$manifest"

echo "== mirror apply $manifest"
"$bin/mirror" apply --report "$work/report.json" "$manifest"

echo "== mirror apply $manifest, again: nothing to do"
"$bin/mirror" apply --detailed-exitcode "$manifest"

echo "== the report of the first run"
sed -n '/"totals"/,/}/p' "$work/report.json"

echo "== the bytes are the same"
cmp "$bucket/images/stars.jpg" "$QUICKSTART_ROOT/images/stars.jpg"
cmp "$bucket/notes/read me first.txt" "$QUICKSTART_ROOT/notes/read me first.txt"
cmp "$bucket/models/größe L/大.bin" "$QUICKSTART_ROOT/models/größe L/大.bin"
test ! -e "$QUICKSTART_ROOT/models/draft.tmp"
find "$QUICKSTART_ROOT" -name .mirror -prune -o -type f -print | sort
