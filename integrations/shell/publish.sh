#!/bin/sh
# Publishes a folder from any pipeline: publish.sh FOLDER PROJECT [OPTIONS of `masthead deploy`]
# Needs Node.js 20 or newer, MASTHEAD_SERVER, and one of:
#   MASTHEAD_ID_TOKEN  an OpenID Connect ID token for the server, where it trusts the pipeline
#   MASTHEAD_KEY       an API key
set -eu
folder=${1:?The folder is missing}
project=${2:?The project is missing}
shift 2
: "${MASTHEAD_SERVER:?Set it to the address of the server}"
cli=$(node --input-type=module -e '
  const server = await (await fetch(new URL("/v1/server", process.env.MASTHEAD_SERVER))).json()
  console.log(server.commandLine.url)')
exec npx --yes "$cli" deploy "$folder" --project "$project" "$@"
