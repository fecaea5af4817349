#!/usr/bin/env bash
# trunk runs this after each build (Trunk.toml). `trunk serve` writes a script into the page that loads it anew after a
# change; the page's own policy allows no script in the page. So a file does the same, and the page names it.
set -euo pipefail

page=$TRUNK_STAGING_DIR/index.html
grep -q '{{__TRUNK_ADDRESS__}}' "$page" || exit 0 # a build that nobody serves has no such script

# The script is the last thing in the body.
awk '
  /<script>"use strict";/ { sub(/<script>"use strict";.*/, ""); print; printf "<script src=\"./reload.js\"></script>"; inside = 1; next }
  inside && sub(/^.*<\/script>/, "") { inside = 0 }
  !inside
' "$page" >"$page.new"
if grep -q '__TRUNK' "$page.new"; then
  echo 'reload: trunk writes its script in another form than it did, so the page cannot load itself anew' >&2
  rm "$page.new"
  exit 0
fi
cp scripts/reload.js "$TRUNK_STAGING_DIR/reload.js"
mv "$page.new" "$page"
