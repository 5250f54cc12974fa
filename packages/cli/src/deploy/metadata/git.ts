import { execFile } from 'node:child_process'
import type { Facts } from './pipelines.ts'

const timeoutMs = 2_000
const maxBytes = 64 * 1024

/** Set inside hooks, where they name the repository of the hook instead of the folder's. */
const misleading = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE']

/** What git knows about a folder. Nothing if there is no git, no repository, no commit, or no answer in time. */
export async function readGit(folder: string, env: NodeJS.ProcessEnv, git = 'git'): Promise<Facts> {
  const kept = Object.entries(env).filter(([name]) => !misleading.includes(name))
  const options = {
    env: {
      ...Object.fromEntries(kept),
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
      GIT_NO_LAZY_FETCH: '1',
    },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: maxBytes,
    windowsHide: true,
  } as const
  const ask = (...args: string[]) =>
    new Promise<string>((resolve) => {
      // None of these commands runs hooks, a pager, a monitor of files or a check of signatures.
      const call = [
        '-C',
        folder,
        '--no-pager',
        '-c',
        'core.fsmonitor=false',
        '-c',
        'core.hooksPath=',
        ...args,
      ]
      execFile(git, call, options, (error, stdout) => resolve(error === null ? stdout.trimEnd() : ''))
    })
  const log = await ask('log', '-1', '--no-show-signature', '--no-color', '--format=%H%x00%an%x00%s')
  // Usually no repository. Starting a program blocks this one for milliseconds.
  if (log === '') return {}
  const [branch, remote, head] = await Promise.all([
    ask('symbolic-ref', '--quiet', '--short', 'HEAD'),
    ask('config', '--get', 'remote.origin.url'),
    ask('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD'),
  ])
  const [commit, author, message] = log.split('\0')
  return { commit, author, message, branch, repository: remote, defaultBranch: head.replace(/^origin\//, '') }
}
