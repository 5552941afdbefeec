# Sourced by the scripts: what the project needs of Debian, and how it is had.

# shellcheck shell=sh disable=SC2034
build_packages="pkg-config libcurl4-openssl-dev libyaml-dev libsqlite3-dev libssl-dev libisal-dev libmicrohttpd-dev"
test_packages="nginx-light python3 python3-venv openssl gcc libc6-dev strace curl util-linux"

need_swift() {
  if ! command -v swift >/dev/null 2>&1; then
    echo "Swift is missing: install version 6.2 or newer from swift.org and put it into PATH" >&2
    exit 1
  fi
}

# Installs those of the named packages that are not there. Asks for no password.
need_packages() {
  if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "This is no Debian; the names there of what is needed here: $*" >&2
    return 0
  fi
  missing=
  for package in "$@"; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
      "install ok installed") ;;
      *) missing="$missing $package" ;;
    esac
  done
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -eq 0 ]; then
    as_root=env
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo env"
  else
    echo "These packages are missing; install them as root: apt-get install$missing" >&2
    exit 1
  fi
  echo "installing:$missing"
  # Word splitting is meant: both are lists.
  $as_root apt-get -qq update </dev/null
  $as_root DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing </dev/null
}
