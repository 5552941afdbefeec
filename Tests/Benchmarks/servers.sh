# nginx, storage-emulator and a long way to nginx, each ended by the number of its process. Sourced by run.sh.

nginx_pid=
emulator_pid=
delay_pid=

stop_servers() {
  for pid in $nginx_pid $emulator_pid $delay_pid; do
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
}

nginx_conf() { # port tls-port
  cat <<NGINX
worker_processes 1;
daemon off;
pid $work/nginx.pid;
error_log $work/nginx.log error;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  keepalive_timeout 300;
  client_body_temp_path $work/tmp;
  proxy_temp_path $work/tmp;
  fastcgi_temp_path $work/tmp;
  uwsgi_temp_path $work/tmp;
  scgi_temp_path $work/tmp;
  server {
    listen 127.0.0.1:$1;
    root $work/www;
    # As much of Google's API as a copy asks for: lists from files, objects from files or, in trees, empty.
    location ~ ^/storage/v1/b/([a-z0-9]+)/o\$ {
      default_type application/json;
      try_files /lists/\$1/p\$arg_pageToken.json =404;
    }
    location ~ ^/(download/)?storage/v1/b/tree[0-9]+/o/tree/ {
      default_type application/octet-stream;
      add_header x-goog-generation \$arg_generation;
      add_header x-goog-hash "crc32c=AAAAAA==,md5=1B2M2Y8AsgTpgAmY7PhCfg==";
      return 200;
    }
    location ~ ^/(?:download/)?storage/v1/b/bucket/o/(.+)\$ {
      default_type application/octet-stream;
      add_header x-goog-generation \$arg_generation;
      alias $work/www/bucket/\$1;
    }
  }
  server {
    listen 127.0.0.1:$2 ssl http2;
    root $work/www;
    http2_max_requests 1000000;
    ssl_certificate $work/cert.pem;
    ssl_certificate_key $work/key.pem;
  }
}
NGINX
}

# Sets `http_url` and `https_url`. A port that is taken makes nginx end at once: then the next pair is tried.
start_nginx() {
  [ -z "$nginx_pid" ] || return 0
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
  port=$((20000 + $$ % 20000))
  tries=0
  while [ "$tries" -lt 50 ]; do
    port=$((port + 2))
    tries=$((tries + 1))
    nginx_conf "$port" "$((port + 1))" >"$work/nginx.conf"
    nginx -c "$work/nginx.conf" 2>/dev/null &
    nginx_pid=$!
    waited=0
    while kill -0 "$nginx_pid" 2>/dev/null && [ "$waited" -lt 50 ]; do
      if [ -s "$work/nginx.pid" ] && curl -s -o "$work/said" "http://127.0.0.1:$port/"; then
        http_url=http://127.0.0.1:$port
        https_url=https://localhost:$((port + 1))
        return 0
      fi
      waited=$((waited + 1))
      sleep 0.1
    done
    kill "$nginx_pid" 2>/dev/null || true
    nginx_pid=
  done
  echo "run.sh: nginx did not start: $(tail -n 2 "$work/nginx.log")" >&2
  exit 1
}

# Sets `emulator_url`.
start_emulator() {
  [ -z "$emulator_pid" ] || return 0
  (cd "$root" && swift build -c release --static-swift-stdlib --product storage-emulator >&2)
  bin=$(cd "$root" && swift build -c release --static-swift-stdlib --show-bin-path)
  "$bin/storage-emulator" "$work/www" --port 0 --ready-file "$work/ready" >"$work/emulator.log" 2>&1 &
  emulator_pid=$!
  waited=0
  while [ ! -s "$work/ready" ]; do
    if ! kill -0 "$emulator_pid" 2>/dev/null || [ "$waited" -ge 100 ]; then
      echo "run.sh: storage-emulator did not start: $(tail -n 2 "$work/emulator.log")" >&2
      exit 1
    fi
    waited=$((waited + 1))
    sleep 0.1
  done
  emulator_url=http://127.0.0.1:$(cat "$work/ready")
}

# Sets `delay_url`: nginx, 20 ms away in each direction. Inside of `--netem` the kernel keeps that distance, else a proxy.
start_delay() {
  if [ -n "$netem" ]; then
    delay_url=$http_url
    return
  fi
  [ -z "$delay_pid" ] || return 0
  compiler=$(command -v cc || command -v clang) || {
    echo "run.sh: a C compiler is missing (apt-get install gcc)" >&2
    exit 1
  }
  "$compiler" -O2 -o "$work/delay" "$here/delay.c"
  "$work/delay" --ms 20 --ready "$work/delay-port" "${http_url##*:}" &
  delay_pid=$!
  waited=0
  while [ ! -s "$work/delay-port" ]; do
    if ! kill -0 "$delay_pid" 2>/dev/null || [ "$waited" -ge 100 ]; then
      echo "run.sh: the delaying proxy did not start" >&2
      exit 1
    fi
    waited=$((waited + 1))
    sleep 0.1
  done
  delay_url=http://127.0.0.1:$(cat "$work/delay-port")
}
