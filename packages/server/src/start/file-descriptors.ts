const unlimited = 2 ** 20

/** How many files and connections this process may have open. Node raises its own limit to the highest allowed. */
export function openFilesLimit(): number {
  // Or it looks up the names of all addresses that are connected.
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const limit = report.userLimits?.open_files?.soft
  return typeof limit === 'number' ? limit : unlimited
}

const enoughForMost = 4_096

/** For the log at start, where the limit is one that a public server soon meets; null: it is not. */
export function openFilesWarning(limit: number): string | null {
  if (limit >= enoughForMost) return null
  const { connectionsPerPort } = shareDescriptors(limit)
  return (
    `This process may have only ${limit} files and connections open, so it takes ${connectionsPerPort} connections ` +
    'on each port. Raise the limit (ulimit -n, or LimitNOFILE in systemd).'
  )
}

export interface DescriptorShares {
  /** Connections on one port, of two. */
  connectionsPerPort: number
  /** Published files that are open because they are being sent. */
  files: number
  /** Requests that an edge process passes on to the main process at one time. */
  passedOn: number
}

const most = { connectionsPerPort: 20_000, files: 2_048, passedOn: 2_048 }
const reserve = { part: 1 / 8, least: 128, most: 1_024 }

/**
 * Who may open how much, so that there is always a descriptor for the database, an upload or a log: running out of them
 * fails whoever comes next, and that is anybody. `processes`: edge processes, whose passed-on requests meet in one.
 */
export function shareDescriptors(limit: number, processes = 1): DescriptorShares {
  const reserved = Math.min(reserve.most, Math.max(reserve.least, limit * reserve.part))
  const usable = Math.max(limit - reserved, limit / 4)
  const passedOn = processes > 1 ? usable / Math.max(4, processes) : 0
  const files = Math.min(most.files, usable / 4)
  return {
    connectionsPerPort: atLeastOne(Math.min(most.connectionsPerPort, (usable - files - passedOn) / 2)),
    files: atLeastOne(files),
    passedOn: atLeastOne(Math.min(most.passedOn, passedOn)),
  }
}

function atLeastOne(count: number): number {
  return Math.max(1, Math.floor(count))
}
