# How each program is called, for each workload. Sourced by run.sh.

# Makes the files, starts the server and, where nothing is to be done, lets every program do it once untimed.
# Sets `persistent` (nothing is removed between rounds) and `base` (what ratios are to).
prepare() { # workload
  corpus "$1"
  persistent=no
  base=curl
  case $1 in
    NOOP*) persistent=yes ;;
  esac
  if [ "$1" = NOOP-GCS ]; then
    base=rclone
    start_emulator
    url=$emulator_url
  else
    start_nginx
    url=$http_url
    [ "$1" != SMALL-H2 ] || url=$https_url
  fi
  lists "$1"
  [ "$persistent" = no ] || for tool in $chosen; do
    plays "$tool" "$1" || continue
    mkdir -p "$work/to/$tool"
    "with_$tool" "$1" "$work/ignored"
    check_files "$tool"
  done
}

# Whether a program takes part.
plays() { # program workload
  case $2/$1 in
    NOOP-GCS/mirror | NOOP-GCS/rclone) return 0 ;;
    NOOP-GCS/*) return 1 ;;
  esac
}

# Every file has come, with all its bytes. A program that fetched something else was not measured at the same task.
check_files() { # program
  wanted=$(du -sb --apparent-size "$work/www/bucket/$files" | cut -f 1)
  got=$(find "$work/to/$1" -name .mirror -prune -o -type f -name 'f*' -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }')
  folder=$(stat -c %s "$work/www/bucket/$files")
  [ "$got" -eq "$((wanted - folder))" ] || echo "run.sh: $1 has $got bytes of $((wanted - folder))" >&2
}

with_mirror() { # workload log
  manifest=$work/manifest.yaml
  [ "$1" != NOOP-GCS ] || manifest=$work/tree.yaml
  STORAGE_EMULATOR_HOST=${emulator_url:-} run mirror "$2" "$mirror" apply "$manifest"
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
  case $1 in NOOP*) again=--conditional-get=true ;; esac
  run aria2 "$2" aria2c -q -i "$work/aria2.list" -d "$work/to/aria2" -j "$parallel" -x 16 \
    --ca-certificate="$work/cert.pem" --allow-overwrite=true --auto-file-renaming=false --file-allocation=none \
    --remote-time=true $again
}

with_wget2() {
  again=
  case $1 in NOOP*) again=-N ;; esac
  run wget2 "$2" wget2 -q -i "$work/urls" -P "$work/to/wget2" --max-threads="$parallel" \
    --ca-certificate="$work/cert.pem" --no-hsts --config=/dev/null $again
}

with_rclone() {
  if [ "$1" = NOOP-GCS ]; then
    run rclone "$2" rclone --config /dev/null copy --fast-list --transfers 32 --checkers 16 \
      --gcs-anonymous --gcs-endpoint "$url/storage/v1/" ":gcs:bucket/$files" "$work/to/rclone"
    return
  fi
  run rclone "$2" rclone --config /dev/null copy --files-from-raw "$work/names" --no-traverse \
    --transfers "$parallel" --checkers "$parallel" --ca-cert "$work/cert.pem" --http-url "$url/bucket/$files" \
    :http: "$work/to/rclone"
}
