import type { ChildProcess } from 'node:child_process'

const running = new Set<ChildProcess>()

/** Kills the child when this process ends or is interrupted, so that a broken test leaves no server behind. */
export function endWithUs(child: ChildProcess): void {
  if (running.size === 0) {
    process.once('exit', killAll)
    process.once('SIGINT', killAllAndExit)
    process.once('SIGTERM', killAllAndExit)
  }
  running.add(child)
  child.once('exit', () => {
    running.delete(child)
    if (running.size > 0) return
    process.off('exit', killAll)
    process.off('SIGINT', killAllAndExit)
    process.off('SIGTERM', killAllAndExit)
  })
}

function killAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

function killAllAndExit(): void {
  killAll()
  process.exit(1)
}
