import { closeSync, openSync, readSync } from 'node:fs'
import { get } from 'node:https'
import { text } from 'node:stream/consumers'
import { pauseProcess } from '../../pause-process.ts'

export interface PebbleAddress {
  directoryUrl: string
  managementUrl: string
  /** The PEM file to trust for its own HTTPS, and what is in it. */
  rootsFile: string
  rootsPem: string
  /** Begins again with each start. */
  logFile: string
}

export interface PebbleControls {
  pid(): number
  /** The root that certificates lead to: another one after each start. */
  issuerRootPem(index?: number): Promise<string>
  /** Over all starts, by its own log. */
  ordersMade(): number
  pause(): void
  resume(): void
}

/**
 * What any process of the user that runs Pebble can do with it. Call `stopping` before it is stopped, and `started` when
 * it runs again.
 */
export function controlPebble({ managementUrl, rootsPem, logFile }: PebbleAddress, pid: () => number) {
  let ordersBefore = 0
  let orders = countOrders(logFile)
  const pause = () => pauseProcess(pid())
  const controls: PebbleControls = {
    pid,
    issuerRootPem: (index = 0) => read(`${managementUrl}/roots/${index}`, rootsPem),
    ordersMade: () => ordersBefore + orders(),
    pause,
    resume: () => void process.kill(pid(), 'SIGCONT'),
  }
  return {
    controls,
    stopping() {
      pause()
      ordersBefore += orders()
      orders = () => 0
    },
    started() {
      orders = countOrders(logFile)
    },
  }
}

/** Reads only what was added since the last call: some tests ask every millisecond. */
function countOrders(logFile: string): () => number {
  const chunk = Buffer.alloc(64 * 1024)
  let position = 0
  let orders = 0
  return () => {
    const file = openSync(logFile, 'r')
    try {
      for (;;) {
        const length = readSync(file, chunk, 0, chunk.length, position)
        const wholeLines = chunk.subarray(0, length).lastIndexOf('\n') + 1
        if (wholeLines === 0) return orders
        const lines = chunk.toString('utf8', 0, wholeLines)
        orders += lines.match(/Added order "[^"]*" to the db/g)?.length ?? 0
        position += wholeLines
      }
    } finally {
      closeSync(file)
    }
  }
}

async function read(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { ca }, (answer) => resolve(text(answer))).on('error', reject)
  })
}
