# The files that are fetched, and what each program is told about them. Sourced by run.sh.

# One stream of random bytes cut into equal files.
equal_files() { # folder count bytes
  mkdir -p "$1"
  (cd "$1" && head -c "$(($2 * $3))" /dev/urandom | split -b "$3" -a 5 -d - f)
}

# Sizes with a median of 100 KiB and a long tail, the same in every run; together as many bytes as asked for.
lognormal_files() { # folder count bytes
  mkdir -p "$1"
  awk -v count="$2" -v total="$3" 'BEGIN {
    srand(20)
    for (i = 0; i < count; i++) {
      size[i] = exp(1.6 * sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand()))
      sum += size[i]
    }
    for (i = 0; i < count; i++) printf "%05d %d\n", i, size[i] / sum * total + 1
  }' | while read -r number size; do
    head -c "$size" /dev/urandom >"$1/f$number"
  done
}

corpus() { # workload: sets `files` and `parallel`
  case $1 in
    MIXED) files=mixed parallel=16 ;;
    LARGE) files=large parallel=4 ;;
    SMALL-H2) files=small parallel=16 ;;
    *) files=small parallel=32 ;;
  esac
  [ ! -d "$work/www/bucket/$files" ] || return 0
  case $files in
    small) equal_files "$work/www/bucket/small" $((100 * scale)) 4096 ;;
    mixed) lognormal_files "$work/www/bucket/mixed" $((20 * scale)) $((10737418 * scale)) ;;
    large) equal_files "$work/www/bucket/large" 4 $((5368709 * scale)) ;;
  esac
  chmod -R a+rX "$work"
  (cd "$work/www/bucket/$files" && printf '%s\0' f* | xargs -0 openssl dgst -sha256 -r | tr -d '*') >"$work/$files.sums"
}

# What every program reads: its own kind of list, for the address `$url`.
lists() {
  awk -v url="$url/bucket/$files" '{ print url "/" $2 }' "$work/$files.sums" >"$work/urls"
  awk '{ print $2 }' "$work/$files.sums" >"$work/names"
  awk -v url="$url/bucket/$files" -v to="$work/to/curl/" '{
    printf "url=\"%s/%s\"\noutput=\"%s%s\"\n", url, $2, to, $2
  }' "$work/$files.sums" >"$work/curl.list"
  # curl's time condition holds until it is given anew.
  awk -v url="$url/bucket/$files" -v to="$work/to/curl/" '{
    printf "%surl=\"%s/%s\"\noutput=\"%s%s\"\ntime-cond=\"%s%s\"\nremote-time\n", (NR == 1 ? "" : "next\n"), \
      url, $2, to, $2, to, $2
  }' "$work/$files.sums" >"$work/curl-again.list"
  awk -v url="$url/bucket/$files" '{ printf "%s/%s\n  out=%s\n", url, $2, $2 }' "$work/$files.sums" >"$work/aria2.list"
  {
    printf 'version: 1\nroot: %s/to/mirror\nlimits: {jobs: %d, per_host: %d}\n' "$work" "$parallel" "$parallel"
    [ "$1" != SMALL-H2 ] || printf 'auth: [{host: %s, tls: {ca: %s/cert.pem}}]\n' "$url" "$work"
    printf 'report: {json: %s/report.json}\nitems:\n' "$work"
    if [ "$1" = NOOP-HTTP ]; then
      awk -v url="$url/bucket/$files" '{ printf "  - {ref: %s/%s, to: %s}\n", url, $2, $2 }' "$work/$files.sums"
    else
      awk -v url="$url/bucket/$files" '{
        printf "  - {ref: %s/%s, to: %s, sha256: %s}\n", url, $2, $2, $1
      }' "$work/$files.sums"
    fi
  } >"$work/manifest.yaml"
  {
    printf 'version: 1\nroot: %s/to/mirror\nstorage: {bucket: bucket, api: gcs}\n' "$work"
    printf 'report: {json: %s/report.json}\ntrees:\n  - {ref: gs://bucket/%s/, to: ./}\n' "$work" "$files"
  } >"$work/tree.yaml"
}
