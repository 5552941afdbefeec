#!/bin/sh
# Builds everything under a sanitizer, runs every test, and ends with an error when one failed or the sanitizer spoke.
#
#   sh Tests/sanitize.sh address                    memory errors and leaks
#   sh Tests/sanitize.sh thread                     data races
#   sh Tests/sanitize.sh thread --filter Engine     only the tests whose name matches
#
# Each sanitizer has a build of its own, in .build-address or .build-thread (MIRROR_SCRATCH names another folder), and
# takes several times as long as the plain one. The programs that the tests start are built the same way, so what they
# report counts too. No memory error and no race is suppressed; of leaks only those in Tests/leaks.supp, which says why.
set -eu

usage() {
  echo "usage: sh Tests/sanitize.sh address|thread [--filter NAME]" >&2
  exit 2
}

[ $# -ge 1 ] || usage
kind=$1
shift
case $kind in address | thread) ;; *) usage ;; esac
case ${1:-} in '' | --filter) ;; *) usage ;; esac

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
. Tests/packages.sh
need_swift
need_packages $build_packages $test_packages

scratch=${MIRROR_SCRATCH:-.build-$kind}
reports=$(mktemp -d "${TMPDIR:-/tmp}/mirror-$kind.XXXXXX")
trap 'rm -rf "$reports"' EXIT
trap 'exit 130' INT TERM

echo "== build under the $kind sanitizer"
swift build --build-tests --sanitize="$kind" --scratch-path "$scratch"

echo "== test"
# A finding of a program that a test started would be lost with its output: each process writes its findings into a file.
# A process goes on after a finding, so that one run shows all of them.
options="log_path=$reports/found:exitcode=0"
ASAN_OPTIONS=$options:detect_leaks=1:halt_on_error=0
TSAN_OPTIONS=$options:halt_on_error=0:second_deadlock_stack=1:report_signal_unsafe=0
LSAN_OPTIONS=exitcode=0:suppressions=$root/Tests/leaks.supp:print_suppressions=0
export ASAN_OPTIONS TSAN_OPTIONS LSAN_OPTIONS
MIRROR_SANITIZER=$kind
export MIRROR_SANITIZER
status=0
# There are no tests of XCTest, whose own runner leaks at its end.
swift test --skip-build --disable-xctest --no-parallel --sanitize="$kind" --scratch-path "$scratch" "$@" \
  >"$scratch/test.log" 2>&1 </dev/null || status=$?
[ "$status" -eq 0 ] || grep -E '✘|Fatal error|Crash' "$scratch/test.log" | head -n 100 || true
grep -E 'Test run with' "$scratch/test.log" || true

findings=$(find "$reports" -type f -size +0 | wc -l)
if [ "$findings" -ne 0 ]; then
  cat "$reports"/found.* >"$scratch/findings.txt"
  grep -hE '^SUMMARY' "$scratch/findings.txt" | sort | uniq -c | sort -rn | head -n 40
  echo "sanitize.sh: $findings processes with findings; all of them are in $scratch/findings.txt" >&2
  exit 1
fi
echo "no findings; everything that was said is in $scratch/test.log"
exit "$status"
