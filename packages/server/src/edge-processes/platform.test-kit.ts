import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { startApi } from '../api/api.test-kit.ts'
import { openSqlite } from '../database/each-database.test-kit.ts'
import { startHttps } from '../edge/https.test-kit.ts'
import { createForwarder } from './forward-to-main.ts'
import { listenForEdges } from './platform-socket.ts'

export const dashboardName = 'localhost'

type StartOptions = NonNullable<Parameters<typeof startApi>[1]>
export type Platform = Awaited<ReturnType<typeof startPlatform>>

/**
 * The real API behind a real edge, with a dashboard, over plain HTTP, TLS and HTTP/2: in one process, or behind the
 * socket over which edge processes forward requests.
 */
export async function startPlatform(
  mode: 'in one process' | 'by an edge process',
  options: StartOptions = {},
) {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', onWarning)
  const folder = await temporaryFolder('platform')
  await mkdir(join(folder.path, 'assets'))
  await writeFile(join(folder.path, 'index.html'), '<!doctype html><title>Masthead</title>')
  await writeFile(join(folder.path, 'assets', 'index.js'), 'console.log(1)\n')
  const database = await openSqlite()
  const api = await startApi(database, { dashboardFolder: folder.path, ...options })
  const path = join(folder.path, 'platform.sock')
  const socket = mode === 'by an edge process' ? await listenForEdges(path, api.handle) : null
  const platform =
    socket === null ? api.handle : createForwarder({ platformSocket: path, log: { warn() {} } })
  const edge = await startHttps({ edge: { platform } })
  await edge.certify(dashboardName)
  return {
    api,
    edge,
    async [Symbol.asyncDispose]() {
      await edge[Symbol.asyncDispose]()
      await socket?.close()
      await api[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      await folder.remove()
      process.off('warning', onWarning)
      const leaks = warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')
      assert.deepEqual(leaks, [])
    },
  }
}

type PlatformTests = (start: (options?: StartOptions) => Promise<Platform>) => void

/** Runs the same tests with the API in the edge's process and in another one. */
export function onEachPlatform(name: string, tests: PlatformTests): void {
  onEachPlatformAtOnce(1, name, tests)
}

/** The same, with several of the tests at once, for those that mostly wait. */
export function onEachPlatformAtOnce(concurrency: number, name: string, tests: PlatformTests): void {
  for (const mode of ['in one process', 'by an edge process'] as const) {
    describe(`${name}, ${mode}`, { concurrency }, () => tests((options) => startPlatform(mode, options)))
  }
}
