#!/bin/sh
# The life of one canvas, from birth to freeze, in a workspace that is removed at the end. Every
# command is printed before it is run, and the script fails when one does not end as it should.
set -eu

bin=$(cd "$(dirname "$0")/.." && pwd)/bin
PATH=$bin:$PATH
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir workspace
OPENCLAW_WORKSPACE=workspace
USER=ann
export PATH OPENCLAW_WORKSPACE USER

# Prints the command as a shell would be told it.
show() {
    printf '\n$'
    for word in "$@"; do
        case $word in
            *[!A-Za-z0-9_./=:-]* | '') printf " '%s'" "$word" ;;
            *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
}

# Runs a command that must end with exit status $1.
expect() {
    wanted=$1
    shift
    show "$@"
    status=0
    "$@" 2>&1 || status=$?
    if [ "$status" -ne "$wanted" ]; then
        echo "this was to end with exit status $wanted and ended with $status" >&2
        exit 1
    fi
}

# The value of label $2 in text $1.
value() {
    printf '%s\n' "$1" | sed -n "s/^$2: //p"
}

echo '# A canvas starts with its problem and the value expected.'
show canvas create --problem 'The deployment steps are scattered.' \
    --expected-value 'One reviewed sequence is ready to follow.'
created=$(canvas create --problem 'The deployment steps are scattered.' \
    --expected-value 'One reviewed sequence is ready to follow.')
printf '%s\n' "$created"
id=$(value "$created" Canvas-ID)
problem=$(value "$created" Canvas-Problem)
base=$(value "$created" Canvas-Base)

printf '\n# Reading hands out the sha to write against.\n'
expect 0 canvas read "$id"

printf '\n# An edit changes one node, says why, and names what it was decided against.\n'
expect 0 canvas replace "$id" "$problem" \
    --text 'The deployment steps need one reviewed order.' \
    --why 'deploy.md and runbook.md order the migration differently; this is the conflict to resolve' \
    --base "$base"

printf '\n# Somebody who still holds the old sha is refused, and told what happened.\n'
expect 1 canvas replace "$id" "$problem" \
    --text 'The deployment steps are in the wiki.' \
    --why 'the wiki has a page named Deployment' \
    --base "$base"

printf '\n# The reasons of one node are its history.\n'
expect 0 canvas history "$id" "$problem"

printf '\n# The work ends; the canvas says so and stays readable.\n'
expect 0 canvas freeze "$id" --why 'done: the reviewed sequence is runbook.md, section Order'
expect 0 canvas read "$id" --frozen

printf '\n# The file is an ordinary one, and can be judged by itself.\n'
expect 0 canvas-validate "workspace/state/canvas/$id.xml"
