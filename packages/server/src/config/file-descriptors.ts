import { readFileSync } from 'node:fs'
import type { ConfigWarning } from './config-warnings.ts'

const unlimited = 2 ** 20

/** How many files and connections this process may have open. Node raises its own limit to the highest allowed. */
export function openFilesLimit(): number {
  const limit = limitOfLinux() ?? limitInReport()
  return typeof limit === 'number' && limit > 0 ? limit : unlimited
}

/** A report has it too, but takes 3 ms. Null on other systems, and where /proc is not mounted. */
function limitOfLinux(): number | null {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1])
  } catch {
    return null
  }
}

function limitInReport(): unknown {
  // Otherwise it resolves the names of all connected addresses.
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  return report.userLimits?.open_files?.soft
}

const enoughForMost = 4_096

/** For the log at start, if a public server would soon reach the limit. */
export function openFilesWarning(limit: number): ConfigWarning | null {
  if (limit >= enoughForMost) return null
  const { connectionsPerPort } = shareDescriptors(limit)
  return {
    message: `This process may have only ${limit} files and connections open, so it accepts ${connectionsPerPort} connections on each port.`,
    fix: 'Raise the limit (ulimit -n, or LimitNOFILE in systemd).',
  }
}

export interface DescriptorShares {
  /** Connections on each of the two ports. */
  connectionsPerPort: number
  /** Published files that are open for sending. */
  files: number
  /** Requests that one edge process forwards to the main process at once. */
  forwarded: number
}

const max = { connectionsPerPort: 20_000, files: 2_048, forwarded: 2_048 }
const reserve = { fraction: 1 / 8, min: 128, max: 1_024 }

/**
 * Divides the descriptors, so that there is always one left for the database, an upload or the log. `processes` is the
 * number of edge processes, whose forwarded requests all arrive in the main process.
 */
export function shareDescriptors(limit: number, processes = 1): DescriptorShares {
  const reserved = Math.min(reserve.max, Math.max(reserve.min, limit * reserve.fraction))
  const usable = Math.max(limit - reserved, limit / 4)
  const forwarded = processes > 1 ? usable / Math.max(4, processes) : 0
  const files = Math.min(max.files, usable / 4)
  return {
    connectionsPerPort: atLeastOne(Math.min(max.connectionsPerPort, (usable - files - forwarded) / 2)),
    files: atLeastOne(files),
    forwarded: atLeastOne(Math.min(max.forwarded, forwarded)),
  }
}

function atLeastOne(count: number): number {
  return Math.max(1, Math.floor(count))
}
