import { after } from 'node:test'

const cleanups: (() => Promise<unknown>)[] = []

/**
 * Stops what the test files of one process share, when the last of them has ended. The process loads this module before
 * any test file, or a file that runs alone does: either way the hook is the process's own.
 */
export function afterAllFiles(cleanup: () => Promise<unknown>): void {
  cleanups.push(cleanup)
}

after(() => Promise.all(cleanups.map((cleanup) => cleanup())))
