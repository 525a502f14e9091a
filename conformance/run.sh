#!/usr/bin/env bash
# Judges our two drivers with the official conformance suite, strictly.
#
#   conformance/run.sh                 every scenario of the suite
#   conformance/run.sh tools-          those whose "leg revision name" matches
#                                      this regular expression
#   LISTED=1 conformance/run.sh        only those in expected.txt
#   UPDATE=1 conformance/run.sh        every one; writes docs/conformance.md
#
# A run of every scenario fails when docs/conformance.md does not show it.
#
# A scenario passes when the suite says so (exit status 0, which for a client
# includes its own exit status), at least one of its checks succeeded, and none
# failed or warned. expected.txt lists the scenarios that must pass. Verdicts:
#
#   PASS  listed, passes
#   FAIL  listed, does not pass; the run fails
#   NEW   not listed, passes: list it
#   open  not listed, does not pass
#   void  marked in expected.txt as passing without having checked anything
#
# Environment:
#   SERVER_URL      judge this running server instead of conformance/server
#   CLIENT          judge this binary instead of conformance/client
#   LEGS            "server client" (default), or one of them
#   SCENARIO_LIMIT  seconds one scenario may take (default 60)
#   OUT             where results and logs go (default out/conformance)
set -euo pipefail

case ${1:-} in
  -h | --help) awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "${BASH_SOURCE[0]}"; exit ;;
esac

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
out=${OUT:-$root/out/conformance}
pattern=${1:-}
# The revisions whose wire the suite speaks; others are names for one of them.
wires=(2025-11-25 2026-07-28)

mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -rf "${out:?}"/{server,client}-*

server_pid=
stop_server() {
  [ -n "$server_pid" ] || return 0
  kill "$server_pid" 2>/dev/null || true
  wait "$server_pid" 2>/dev/null || true
  server_pid=
}
trap stop_server EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

die() {
  echo "conformance: $*" >&2
  exit 2
}

# --- the suite, and a Node.js that can load it (22 or newer) ------------------

if ! [ "$here/node_modules/.package-lock.json" -nt "$here/package-lock.json" ]; then
  (cd "$here" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) >"$out/npm.log" 2>&1 ||
    die "npm ci failed in $here: $(tail -n 5 "$out/npm.log")"
fi
suite=$here/node_modules/@modelcontextprotocol/conformance/dist/index.js
node=
for candidate in node "$here"/node_modules/node-*/bin/node; do
  if "$candidate" -e 'process.exit(parseInt(process.versions.node) >= 22 ? 0 : 1)' 2>/dev/null; then
    node=$(command -v "$candidate")
    break
  fi
done
[ -n "$node" ] || die "the suite needs Node.js 22 or newer, and npm has none for $(uname -sm): install one"

# --- what is judged -----------------------------------------------------------

legs=${LEGS:-server client}
mkdir -p "$root/out/bin"
if [[ $legs == *server* && -z ${SERVER_URL:-} ]]; then
  (cd "$root" && go build -buildvcs=false -o out/bin/conformance-server ./conformance/server)
  # It prints its URL once it accepts connections.
  : >"$out/server.url"
  "$root/out/bin/conformance-server" -addr 127.0.0.1:0 >"$out/server.url" 2>"$out/server.log" &
  server_pid=$!
  for ((i = 0; i < 200; i++)); do
    read -r SERVER_URL <"$out/server.url" && break
    kill -0 "$server_pid" 2>/dev/null || die "the server ended at once: $(tail -n 5 "$out/server.log")"
    sleep 0.1
  done
  [ -n "${SERVER_URL:-}" ] || die "the server said no URL within 20 s: $(tail -n 5 "$out/server.log")"
fi
client=${CLIENT:-}
if [[ $legs == *client* && -z $client ]]; then
  (cd "$root" && go build -buildvcs=false -o out/bin/conformance-client ./conformance/client)
  client=$root/out/bin/conformance-client
fi

# --- which scenarios ----------------------------------------------------------

# applicable prints "leg revision name" for each scenario on each wire it is for:
# the dated ones of $wires, else the newest it names; extensions ride on the newest.
applicable() {
  local leg
  for leg in $legs; do
    "$node" "$suite" list "--$leg" | sed -n 's/^  - \([^ ]*\) \[\(.*\)\]$/\1 \2/p' |
      while read -r name revisions; do
        local hit=
        for wire in "${wires[@]}"; do
          case ",$revisions," in *",$wire,"*) echo "$leg $wire $name"; hit=1 ;; esac
        done
        [ -n "$hit" ] && continue
        [ "$revisions" = extension ] && revisions=${wires[-1]}
        echo "$leg ${revisions##*,} $name"
      done
  done
}

declare -A expected void
while read -r line; do
  case $line in
    '' | '#'*) ;;
    '- '*) void["${line#- }"]=1 ;;
    *) expected["$line"]=1 ;;
  esac
done <"$here/expected.txt"

# --- run and judge ------------------------------------------------------------

# How a verdict appears in docs/conformance.md.
declare -A shown=([PASS]=passes [NEW]=passes [FAIL]=fails [open]="not yet" [void]="not applicable")

# tally prints how many checks of a result directory have each status, and the
# faults among them.
tally() {
  "$node" -e '
    const fs = require("fs"), path = require("path");
    const n = { SUCCESS: 0, FAILURE: 0, WARNING: 0, SKIPPED: 0, INFO: 0 }, faults = [];
    for (const f of fs.readdirSync(process.argv[1], { recursive: true })) {
      if (path.basename(f) !== "checks.json") continue;
      for (const c of JSON.parse(fs.readFileSync(path.join(process.argv[1], f)))) {
        n[c.status]++;
        if (c.status === "FAILURE" || c.status === "WARNING")
          faults.push(`        ${c.status} ${c.id}: ${String(c.errorMessage ?? c.description).split("\n")[0]}`);
      }
    }
    console.log([n.SUCCESS, n.FAILURE, n.WARNING, n.SKIPPED].join(" "));
    if (faults.length) console.log(faults.join("\n"));
  ' "$1"
}

declare -A total
page=
failed=0
judge() {
  local leg=$1 wire=$2 name=$3 key="$1 $2 $3" status=0 verdict result faults
  local dir=$out/$leg-$wire-${name//\//_} t0=$SECONDS
  local target=(--url "${SERVER_URL:-}")
  [ "$leg" = client ] && target=(--command "$client" --timeout 30000)
  mkdir -p "$dir"
  # The suite leads a process group of its own, so that a client that hangs ends with it.
  timeout -k 5 "${SCENARIO_LIMIT:-60}" "$node" "$suite" "$leg" "${target[@]}" \
    --scenario "$name" --spec-version "$wire" --force -o "$dir" </dev/null >"$dir/log" 2>&1 || status=$?
  { read -r result; faults=$(cat); } < <(tally "$dir")
  local ok bad warned skipped
  read -r ok bad warned skipped <<<"$result"
  if ((status == 0 && ok > 0 && bad == 0 && warned == 0)); then
    verdict=NEW
    [ -n "${void[$key]:-}" ] && verdict=void
    [ -n "${expected[$key]:-}" ] && verdict=PASS
  else
    verdict=open
    [ -n "${expected[$key]:-}" ] && verdict=FAIL
  fi
  case $verdict in
    PASS | NEW) page+="| $leg | $wire | $name | ${shown[$verdict]} | $ok | $skipped |"$'\n' ;;
    *) page+="| $leg | $wire | $name | ${shown[$verdict]} | | |"$'\n' ;;
  esac
  total["$leg $wire $verdict"]=$((${total["$leg $wire $verdict"]:-0} + 1))
  printf '%-4s  %s %s %-46s %2d ok %2d failed %2d warned %2d skipped %3ds' \
    "$verdict" "$leg" "$wire" "$name" "$ok" "$bad" "$warned" "$skipped" $((SECONDS - t0))
  if ((status == 124 || status == 137)); then printf '  [out of time]'
  elif ((status != 0 && bad + warned == 0)); then printf '  [exit status %d, see %s]' "$status" "${dir#"$root"/}/log"
  elif ((ok == 0 && bad + warned == 0)); then printf '  [nothing checked]'
  fi
  printf '\n'
  if [ "$verdict" = FAIL ]; then
    failed=$((failed + 1))
    [ -z "$faults" ] || printf '%s\n' "$faults"
  fi
}

# document prints docs/conformance.md.
document() {
  cat <<EOF_PAGE
# Conformance

The official suite (\`@modelcontextprotocol/conformance\` $("$node" "$suite" --version)) against
\`conformance/server\` and \`conformance/client\`, which use the public API alone. One server
process serves both wires at one endpoint.

A scenario *passes* here when the suite passes it, at least one check succeeded, and none
failed or **warned**. *Not yet* needs something that is still being built. *Not applicable*
means that the suite passes it without having exercised anything of ours. *Checks* are those
that succeeded; *skipped* ones are about features the driver does not declare.

Written by \`UPDATE=1 conformance/run.sh\`; CI fails when a listed scenario fails or this page
is out of date.

| leg | wire | scenario | verdict | checks | skipped |
|---|---|---|---|---|---|
EOF_PAGE
  printf '%s' "$page"
}

mapfile -t scenarios < <(applicable | sort -s -k1,1r -k2,2)
((${#scenarios[@]} > 0)) || die "the suite lists no scenario"
declare -A seen
echo "# suite $("$node" "$suite" --version), node $("$node" --version)"
for key in "${scenarios[@]}"; do
  seen["$key"]=1
  [[ -z $pattern || $key =~ $pattern ]] || continue
  [[ -z ${LISTED:-} || -n ${expected[$key]:-} ]] || continue
  read -r leg wire name <<<"$key"
  judge "$leg" "$wire" "$name"
done
for key in "${!expected[@]}"; do
  [[ $legs == *"${key%% *}"* && -z ${seen[$key]:-} ]] || continue
  echo "FAIL  $key: listed in expected.txt, unknown to the suite"
  failed=$((failed + 1))
done

count() { echo "${total["$1 $2 $3"]:-0}"; }
for leg in $legs; do
  for wire in $(printf '%s\n' "${!total[@]}" | awk -v l="$leg" '$1 == l { print $2 }' | sort -u); do
    printf 'TOTAL %s %s: %d pass, %d fail, %d pass unlisted, %d open, %d void\n' "$leg" "$wire" \
      "$(count "$leg" "$wire" PASS)" "$(count "$leg" "$wire" FAIL)" "$(count "$leg" "$wire" NEW)" \
      "$(count "$leg" "$wire" open)" "$(count "$leg" "$wire" void)"
  done
done

# docs/conformance.md is about our drivers, all of them, and every scenario.
if [[ -z $pattern && -z ${LISTED:-} && -z ${LEGS:-} && -z ${CLIENT:-} && -n $server_pid ]]; then
  document >"$out/conformance.md"
  if [ -n "${UPDATE:-}" ]; then
    cp "$out/conformance.md" "$root/docs/conformance.md"
  elif ! diff -u "$root/docs/conformance.md" "$out/conformance.md"; then
    echo "FAIL  docs/conformance.md does not show this run; write it with UPDATE=1 conformance/run.sh"
    failed=$((failed + 1))
  fi
fi
((failed == 0)) || exit 1
