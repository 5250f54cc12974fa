import type { Body } from './assets/body.ts'
import type { EdgeRequest } from './assets/respond.ts'
import type { SitesOnListener } from './listener.ts'
import { ResponseCounts } from './response-counts.ts'
import { createOpenSocket } from './sockets/site-socket.ts'

/** A site that answers every request with the same bytes, except those for the platform. */
export function sitesWith(bytes: Buffer, isForPlatform: (request: EdgeRequest) => boolean): SitesOnListener {
  const headers = ['Content-Length', String(bytes.length)]
  const reply = { status: 200, headers, body: { kind: 'bytes', bytes } } as const
  return {
    answers: {
      answer: (request) => (isForPlatform(request) ? null : reply),
      responses: new ResponseCounts(),
      openBody: (body) => inMemory(body.kind === 'bytes' ? body.bytes : Buffer.alloc(0)),
    },
    isPlatformName: () => false,
    isSite: () => true,
    openSocket: createOpenSocket(true),
    log: { error() {} },
  }
}

function inMemory(bytes: Buffer): Body {
  const read = async (start: number, into: Buffer) => void bytes.copy(into, 0, start)
  return { length: bytes.length, bytes, read, rest() {}, close() {} }
}
