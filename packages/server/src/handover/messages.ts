/** From the process that is replaced to the new one. A `socket` message comes with a handle. */
export type FromReplaced = { kind: 'socket'; host: string; port: number } | { kind: 'all'; pid: number }

/** From the new process, once it serves. */
export interface ToReplaced {
  kind: 'serving'
}

/** How a process starts its own replacement, connected to it. */
export const connectedFlag = '--connected'
export const replaceFlag = '--replace'
