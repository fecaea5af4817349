#!/usr/bin/env bash
# Serves the playground on 127.0.0.1 and rebuilds it when a file changes. PORT chooses the port, 8080 without it.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

[ $# -eq 0 ] || usage 'PORT=8080 scripts/serve.sh'
port=${PORT:-8080}
if ! [[ $port =~ ^[1-9][0-9]{0,4}$ ]] || [ "$port" -gt 65535 ]; then
  die "PORT is '$port': give a number from 1 to 65535"
fi

# Looked at before the set-up, which may take minutes, and again after it.
port_is_free() {
  if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
    die "port $port is taken: stop what listens there, or choose another one, such as PORT=$((port == 65535 ? 8080 : port + 1)) scripts/serve.sh"
  fi
}

port_is_free
bash scripts/setup.sh serve
port_is_free
say "building the page; it will be at http://127.0.0.1:$port/"
exec trunk serve --address 127.0.0.1 --port "$port"
