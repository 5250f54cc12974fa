import type { ChildProcess } from 'node:child_process'

/** Whether each leads a group of its own, which is killed with it. */
const running = new Map<ChildProcess, boolean>()

/** Kills the child when this process ends or is interrupted, so that a broken test leaves no server behind. */
export function endWithUs(child: ChildProcess, leadsGroup = false): void {
  if (running.size === 0) {
    process.once('exit', killAll)
    process.once('SIGINT', killAllAndExit)
    process.once('SIGTERM', killAllAndExit)
  }
  running.set(child, leadsGroup)
  child.once('exit', () => {
    running.delete(child)
    if (running.size > 0) return
    process.off('exit', killAll)
    process.off('SIGINT', killAllAndExit)
    process.off('SIGTERM', killAllAndExit)
  })
}

function killAll(): void {
  for (const [child, leadsGroup] of running) {
    if (leadsGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  }
}

function killAllAndExit(): void {
  killAll()
  process.exit(1)
}
