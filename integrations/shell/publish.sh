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
  const { MASTHEAD_SERVER: server } = process.env
  const findCommandLine = async () => {
    const response = await fetch(new URL("/v1/server", server), { signal: AbortSignal.timeout(10_000) })
    if (!response.ok) throw new Error(`it answered ${response.status}`)
    return (await response.json()).commandLine.url
  }
  // The server may be restarting.
  for (const end = Date.now() + 30_000; ; await new Promise((done) => setTimeout(done, 1_000))) {
    try {
      console.log(await findCommandLine())
      break
    } catch (error) {
      if (Date.now() < end) continue
      console.error(`Could not get the command line from ${server}: ${error.cause?.code ?? error.message}`)
      process.exit(1)
    }
  }')
exec npx --yes "$cli" deploy "$folder" --project "$project" "$@"
