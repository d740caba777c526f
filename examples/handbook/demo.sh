#!/bin/sh
# The handbook of a ferry line, green as it is committed; then the same with a few mistakes of an ordinary
# week, in a copy that is removed at the end.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
PATH=$root/bin:$PATH
export PATH
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp -R "$root/examples/handbook/." "$place"
cd "$place"

# Runs a command that must end with exit status $1.
expect() {
    wanted=$1
    shift
    printf '\n$ %s\n' "$*"
    status=0
    "$@" 2>&1 || status=$?
    if [ "$status" -ne "$wanted" ]; then
        echo "this was to end with exit status $wanted and ended with $status" >&2
        exit 1
    fi
}

# Replaces text $2 by $3 in file $1, where it must be.
mistake() {
    grep -q "$2" "$1"
    sed "s|$2|$3|" "$1" >changed
    mv changed "$1"
    echo "# $1: $2 -> $3"
}

echo '# A handbook whose documents keep their word.'
expect 0 headwater check --strict --now 2026-03-01

printf '\n# An ordinary week.\n'
mistake handbook/procedures/ticket-check.md 'carries_out: FERRY-D-0003' 'carries_out: FERRY-D-0001'
mistake handbook/procedures/winter-evenings.md 'fog.md#when-nothing-leaves' 'fog.md#when-no-boat-leaves'
mistake handbook/procedures/fog.md 'status: current' 'status: curent'
mistake handbook/decisions/0001-paper-tickets.md '  superseded_by: FERRY-D-0003' '  superseded_by: []'
mistake handbook/drills/2026-02-man-overboard.md 'FERRY-P-man-overboard' 'FERRY-P-overboard'
expect 1 headwater check --strict --now 2026-03-01

printf '\n# What a document is and owes.\n'
expect 0 headwater explain FERRY-P-ticket-check
