import { fileURLToPath } from 'node:url'

/**
 * A whole run of the tests and the benchmarks run what users run. A single test runs the sources, which may have changed
 * since they were built.
 */
export const serverProgram = process.env.MASTHEAD_TEST_SERVER ?? source('server/src/start/main.ts')
export const commandLineProgram = process.env.MASTHEAD_TEST_COMMAND_LINE ?? source('cli/bin/masthead.js')

/** For programs that get no other variables of ours. What one of them has compiled, the next one loads. */
export const programEnvironment = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
}

function source(path: string): string {
  return fileURLToPath(new URL(`../packages/${path}`, import.meta.url))
}
