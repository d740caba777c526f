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

# Runs a command that must end with exit status $2, and shows what it printed: with $1 = all everything, and
# of a report, which closes with what was looked at, all findings and the last line; with end the last line.
expect() {
    shown=$1
    wanted=$2
    shift 2
    printf '\n$ %s\n' "$*"
    status=0
    "$@" >"$place/said" 2>"$place/told" || status=$?
    if [ "$shown" = all ]; then
        sed '/^taxonomy$/,$d' "$place/said"
    fi
    if [ "$shown" = end ] || grep -q '^taxonomy$' "$place/said"; then
        tail -n 1 "$place/said"
    fi
    if [ "$status" -ne "$wanted" ]; then
        cat "$place/told" >&2
        echo "this was to end with exit status $wanted and ended with $status" >&2
        exit 1
    fi
}

# Replaces text $2 by $3 in file $1, where it must be.
mistake() {
    grep -q "$2" "$1"
    sed "s|$2|$3|" "$1" >"$place/changed"
    cp "$place/changed" "$1"
    echo "# $1: $2 -> $3"
}

echo '# A handbook whose documents keep their word.'
expect end 0 headwater check --strict --now 2026-03-01

printf '\n# An ordinary week.\n'
mistake handbook/procedures/ticket-check.md 'carries_out: FERRY-D-0003' 'carries_out: FERRY-D-0001'
mistake handbook/procedures/fog.md 'status: current' 'status: curent'
mistake handbook/procedures/winter-evenings.md 'fog.md#when' 'weather/fog.md#when'
mistake handbook/decisions/0001-paper-tickets.md 'superseded_by: FERRY-D-0003' 'carried_out_by: FERRY-P-ticket-check'
mistake handbook/procedures/boarding.md 'Passengers board when both are' 'In the future passengers board when both are'
mistake handbook/drills/2026-02-man-overboard.md 'FERRY-P-man-overboard' 'FERRY-P-overboard'
expect all 1 headwater check --strict --now 2026-03-01

printf '\n# What has one right answer is put right by itself: the dead link, and the missing half of an edge.\n'
expect all 0 headwater check --diff --now 2026-03-01
expect end 0 headwater check --fix --now 2026-03-01
