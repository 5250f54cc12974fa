#!/usr/bin/env node
const needed = 26
const { versions } = process
if (Number(versions.node.split('.')[0]) < needed) {
  process.stderr.write(
    `masthead-server needs Node.js ${needed} or newer, and this is ${versions.node}.\nRun \`npx masthead-server\` in the repository, which brings its own.\n`,
  )
  process.exitCode = 1
} else {
  // Loaded here, because older versions of Node.js cannot read TypeScript.
  const { main } = await import('../src/operator-commands/masthead-server.ts')
  process.stdout.on('error', (error) => {
    // The reader of the output may stop early, as in `masthead-server verify backup | head`.
    if (error.code !== 'EPIPE') throw error
  })
  process.exitCode = await main(process.argv.slice(2), process)
}
