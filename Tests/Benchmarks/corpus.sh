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
    LARGE*) files=large parallel=4 ;;
    SMALL-H2) files=small parallel=16 ;;
    SMALL-20MS) files=small parallel=64 ;;
    TREE*) files=tree parallel=32 ;;
    PINNED*)
      count_files "$1"
      files=pinned$count parallel=32
      ;;
    *) files=small parallel=32 ;;
  esac
  case $1 in
    TREE*)
      count_files "$1"
      [ -d "$work/www/lists/tree$count" ] || tree_pages "$count"
      chmod -R a+rX "$work"
      return
      ;;
  esac
  [ ! -d "$work/www/bucket/$files" ] || return 0
  case $files in
    small) equal_files "$work/www/bucket/small" $((100 * scale)) 4096 ;;
    mixed) lognormal_files "$work/www/bucket/mixed" $((20 * scale)) $((10737418 * scale)) ;;
    pinned*) equal_files "$work/www/bucket/$files" "$count" 16 ;;
    large) equal_files "$work/www/bucket/large" 4 $((5368709 * scale)) ;;
  esac
  chmod -R a+rX "$work"
  (cd "$work/www/bucket/$files" && printf '%s\0' f* | xargs -0 openssl dgst -sha256 -r | tr -d '*') >"$work/$files.sums"
}

count_files() { # workload: sets `count`
  case $1 in
    *-10K) count=$((100 * scale)) ;;
    *-100K) count=$((1000 * scale)) ;;
    *-1M) count=$((10000 * scale)) ;;
  esac
}

# The pages of a list of empty objects, a thousand in a folder, as Google's API gives them. The bucket is called
# tree<count>; its objects are answered by nginx itself.
tree_pages() { # count
  mkdir -p "$work/www/lists/tree$1"
  awk -v count="$1" -v url="$http_url" -v folder="$work/www/lists/tree$1" 'BEGIN {
    pages = int((count + 999) / 1000)
    for (page = 0; page < pages; page++) {
      file = sprintf("%s/p%s.json", folder, page ? page : "")
      printf "{\"kind\":\"storage#objects\",%s\"items\":[", \
        (page + 1 < pages ? sprintf("\"nextPageToken\":\"%d\",", page + 1) : "") >file
      for (i = 0; i < 1000 && page * 1000 + i < count; i++) {
        name = sprintf("tree/%04d/%03d", page, i)
        escaped = sprintf("tree%%2F%04d%%2F%03d", page, i)
        generation = 1700000000000000 + page * 1000 + i
        printf "%s{\"kind\":\"storage#object\",\"name\":\"%s\",\"bucket\":\"tree%d\",\"generation\":\"%d\"," \
          "\"mediaLink\":\"%s/download/storage/v1/b/tree%d/o/%s?generation=%d&alt=media\",\"size\":\"0\"," \
          "\"metageneration\":\"1\",\"contentType\":\"application/octet-stream\",\"storageClass\":\"STANDARD\"," \
          "\"md5Hash\":\"1B2M2Y8AsgTpgAmY7PhCfg==\",\"crc32c\":\"AAAAAA==\",\"etag\":\"CAE=\"," \
          "\"timeCreated\":\"2023-11-14T22:13:20.000Z\",\"updated\":\"2023-11-14T22:13:20.000Z\"}", \
          (i ? "," : ""), name, count, generation, url, count, escaped, generation >file
      }
      printf "]}" >file
      close(file)
    }
  }'
}

# The list of the bucket `bucket`, taken from storage-emulator, which reads the files; nginx gives it out much faster.
bucket_pages() {
  [ ! -d "$work/www/lists/bucket" ] || return 0
  mkdir -p "$work/www/lists/bucket"
  start_emulator
  token='' page=''
  while :; do
    curl -s -S -G "$emulator_url/storage/v1/b/bucket/o" --data-urlencode "prefix=$files/" \
      ${token:+--data-urlencode "pageToken=$token"} >"$work/page"
    token=$(sed -n 's/.*"nextPageToken":"\([^"]*\)".*/\1/p' "$work/page")
    sed -e "s|\"nextPageToken\":\"[^\"]*\"|\"nextPageToken\":\"$((page + 1))\"|" -e "s|$emulator_url|$http_url|g" \
      "$work/page" >"$work/www/lists/bucket/p$page.json"
    page=$((page + 1))
    [ -n "$token" ] || break
  done
  chmod -R a+rX "$work"
}

# What every program reads: its own kind of list, for the address `$url` and the folder `$to`.
lists() { # workload
  tree_manifest
  case $1 in TREE*) return ;; esac
  awk -v url="$url/bucket/$files" '{ print url "/" $2 }' "$work/$files.sums" >"$work/urls"
  awk '{ print $2 }' "$work/$files.sums" >"$work/names"
  awk -v url="$url/bucket/$files" -v to="$to/curl/" '{
    printf "url=\"%s/%s\"\noutput=\"%s%s\"\n", url, $2, to, $2
  }' "$work/$files.sums" >"$work/curl.list"
  # curl's time condition holds until it is given anew.
  awk -v url="$url/bucket/$files" -v to="$to/curl/" '{
    printf "%surl=\"%s/%s\"\noutput=\"%s%s\"\ntime-cond=\"%s%s\"\nremote-time\n", (NR == 1 ? "" : "next\n"), \
      url, $2, to, $2, to, $2
  }' "$work/$files.sums" >"$work/curl-again.list"
  awk -v url="$url/bucket/$files" '{ printf "%s/%s\n  out=%s\n", url, $2, $2 }' "$work/$files.sums" >"$work/aria2.list"
  awk -v url="$url/bucket/$files" '{
    printf "%s/%s\n  out=%s\n  checksum=sha-256=%s\n", url, $2, $2, $1
  }' "$work/$files.sums" >"$work/aria2-sums.list"
  {
    printf 'version: 1\nroot: %s/mirror\n' "$to"
    # With a long way the programs are left to their own choice.
    case $1 in *-20MS) ;; *) printf 'limits: {jobs: %d, per_host: %d}\n' "$parallel" "$parallel" ;; esac
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
}

# The bucket `$bucket`, as a tree.
tree_manifest() {
  {
    printf 'version: 1\nroot: %s/mirror\nstorage: {bucket: %s, api: gcs}\n' "$to" "$bucket"
    printf 'report: {json: %s/report.json}\ntrees:\n  - {ref: gs://%s/%s/, to: ./}\n' "$work" "$bucket" "$files"
  } >"$work/tree.yaml"
}
