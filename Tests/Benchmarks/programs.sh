# How each program is called, for each workload. Sourced by run.sh.

# Makes the files, starts the server and, where nothing is to be done, lets every program do it once untimed.
# Sets `persistent` (nothing is removed between rounds), `base` (what ratios are to), `url`, `bucket` and `to`.
prepare() { # workload
  start_nginx
  corpus "$1"
  persistent=no
  base=curl
  bucket=bucket
  url=$http_url
  to=$work/to
  case $1 in NOOP* | TREE* | PINNED*) persistent=yes ;; esac
  case $1 in
    NOOP-GCS)
      base=rclone
      start_emulator
      url=$emulator_url
      ;;
    SMALL-GCS)
      base=rclone
      bucket_pages
      ;;
    TREE*)
      base=rclone
      bucket=tree$count
      [ "$1" != TREE-1M ] || base=mirror
      ;;
    PINNED*) base=mirror ;;
    SMALL-H2) url=$https_url ;;
    *-20MS)
      start_delay
      url=$delay_url
      ;;
  esac
  lists "$1"
  [ "$persistent" = no ] || for tool in $chosen; do
    plays "$tool" "$1" || continue
    mkdir -p "$to/$tool"
    "with_$(echo "$tool" | tr - _)" "$1" "$work/ignored"
    check_files "$tool"
  done
}

# A new folder for each round, on the disk, where nothing was ever removed.
fresh_folder() { # workload round
  to=$disk/$2
  lists "$1"
}

# False, and said, when it cannot be.
build_floor() {
  [ ! -x "$work/floor" ] || return 0
  compiler=$(command -v cc || command -v clang || echo cc)
  "$compiler" -O2 -o "$work/floor" "$here/floor.c" -lcurl -lcrypto -lpthread 2>"$work/said" || {
    echo "run.sh: floor cannot be built (apt-get install gcc libcurl4-openssl-dev libssl-dev) and is left out" >&2
    return 1
  }
}

# Whether a program takes part.
plays() { # program workload
  case $2/$1 in
    *-GCS/mirror | *-GCS/rclone | TREE-1M/mirror | PINNED*/mirror) return 0 ;;
    TREE-1M/* | PINNED*/*) return 1 ;;
    TREE*/mirror | TREE*/rclone) return 0 ;;
    *-GCS/* | TREE*/*) return 1 ;;
    SMALL/floor* | SMALL-H2/floor* | SMALL-DISK/floor* | MIXED/floor* | LARGE/floor*) return 0 ;;
    */floor*) return 1 ;;
  esac
}

# Every file has come, with all its bytes. A program that fetched something else was not measured at the same task.
check_files() { # program
  if [ "$files" = tree ]; then
    got=$(find "$to/$1" -name .mirror -prune -o -type f -print | wc -l)
    [ "$got" -eq "$count" ] || echo "run.sh: $1 has $got files of $count" >&2
    return
  fi
  wanted=$(du -sb --apparent-size "$work/www/bucket/$files" | cut -f 1)
  got=$(find "$to/$1" -name .mirror -prune -o -type f -name 'f*' -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }')
  folder=$(stat -c %s "$work/www/bucket/$files")
  [ "$got" -eq "$((wanted - folder))" ] || echo "run.sh: $1 has $got bytes of $((wanted - folder))" >&2
}

with_mirror() { # workload log
  manifest=$work/manifest.yaml
  case $1 in
    *-GCS | TREE*) manifest=$work/tree.yaml ;;
  esac
  STORAGE_EMULATOR_HOST=$url run mirror "$2" "$mirror" apply "$manifest"
}

with_curl() {
  case $1 in
    # Each URL with a condition of its own has to be an operation of its own, and takes options anew.
    NOOP*) run curl "$2" curl -s -S --parallel --parallel-max "$parallel" -K "$work/curl-again.list" ;;
    *)
      run curl "$2" curl -s -S --cacert "$work/cert.pem" --parallel --parallel-max "$parallel" \
        --remote-time -K "$work/curl.list"
      ;;
  esac
}

with_aria2() {
  again=
  case $1 in
    NOOP*) again=--conditional-get=true ;;
    LARGE-20MS) again=--split=16 ;;
  esac
  run aria2 "$2" aria2c -q -i "$work/aria2.list" -d "$to/aria2" -j "$parallel" -x 16 \
    --ca-certificate="$work/cert.pem" --allow-overwrite=true --auto-file-renaming=false --file-allocation=none \
    --remote-time=true $again
}

# Each file held against its sha256, as mirror does it.
with_aria2_sums() {
  ranges=
  case $1 in LARGE*) ranges=--split=16 ;; esac
  run aria2-sums "$2" aria2c -q -i "$work/aria2-sums.list" -d "$to/aria2-sums" -j "$parallel" -x 16 --check-integrity=true \
    --ca-certificate="$work/cert.pem" --allow-overwrite=true --auto-file-renaming=false --file-allocation=none \
    --remote-time=true $ranges
}

with_floor() { run_floor floor "$@"; }

with_floor_sums() { run_floor floor-sums "$@" --sums; }

run_floor() { # name workload log options…
  floor=$1
  log=$3
  options=${4:-}
  [ "$2" != SMALL-H2 ] || options="$options --cacert $work/cert.pem"
  # shellcheck disable=SC2086
  run "$floor" "$log" "$work/floor" $options --loops 2 --handles "$((parallel / 2))" \
    "$work/$files.sums" "$url/bucket/$files" "$to/$floor"
}

with_wget2() {
  again=
  case $1 in NOOP*) again=-N ;; esac
  run wget2 "$2" wget2 -q -i "$work/urls" -P "$to/wget2" --max-threads="$parallel" \
    --ca-certificate="$work/cert.pem" --no-hsts --config=/dev/null $again
}

with_rclone() {
  case $1 in
    *-GCS | TREE*)
      run rclone "$2" rclone --config /dev/null copy --fast-list --transfers 32 --checkers 16 \
        --gcs-anonymous --gcs-endpoint "$url/storage/v1/" ":gcs:$bucket/$files" "$to/rclone"
      return
      ;;
  esac
  run rclone "$2" rclone --config /dev/null copy --files-from-raw "$work/names" --no-traverse \
    --transfers "$parallel" --checkers "$parallel" --ca-cert "$work/cert.pem" --http-url "$url/bucket/$files" \
    :http: "$to/rclone"
}
