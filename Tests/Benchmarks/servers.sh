# nginx and storage-emulator on loopback, each ended by the number of its process. Sourced by run.sh.

nginx_pid=
emulator_pid=

stop_servers() {
  for pid in $nginx_pid $emulator_pid; do
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
  server { listen 127.0.0.1:$1; root $work/www; }
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
