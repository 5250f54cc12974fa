import { type Query, readQuery } from './query.ts'
import {
  datagramReply,
  errorReply,
  type Rcode,
  type ReplyContent,
  streamReply,
  truncatedReply,
} from './reply.ts'
import type { ZoneAnswer, ZoneQuestion } from './zone.ts'

export interface Responder {
  answer(question: ZoneQuestion): Promise<ZoneAnswer>
  /** Tells each reply, for metrics. */
  onReply?(reply: { transport: Transport; rcode: Rcode; isLimited: boolean }): void
  log: { warn(details: object, message: string): void }
}

export type Transport = 'udp' | 'tcp'

export interface ReceivedQuery {
  transport: Transport
  /** The sender gets too many replies: nothing is looked up for it, and it is sent to TCP. */
  isLimited: boolean
}

/** The reply to a message from anywhere; null if it gets none. */
export async function respond(
  message: Buffer,
  received: ReceivedQuery,
  { answer, onReply, log }: Responder,
): Promise<Buffer | null> {
  const step = firstStep(message, received)
  if (step === null) return null
  const { transport } = received
  const isLimited = 'reply' in step && received.isLimited
  if ('reply' in step) {
    onReply?.({ transport, rcode: step.rcode, isLimited })
    return step.reply
  }
  const content = await answer(step.query).catch((error: unknown): ReplyContent => {
    log.warn({ err: error }, 'a DNS query could not be answered')
    return { rcode: 'SERVFAIL' }
  })
  onReply?.({ transport, rcode: content.rcode, isLimited })
  return writeReply(step.query, transport, content)
}

/** What follows from the message alone: a reply, or a query to look up. Null if it gets no reply. */
export function firstStep(
  message: Buffer,
  { transport, isLimited }: ReceivedQuery,
): { reply: Buffer; rcode: Rcode } | { query: Query } | null {
  const query = readQuery(message)
  if (query === null) return null
  if (!('raw' in query)) return { reply: errorReply(query), rcode: query.rcode }
  if (isLimited) return { reply: truncatedReply(query), rcode: 'NOERROR' }
  const rcode = refusalOf(query)
  return rcode === null ? { query } : { reply: writeReply(query, transport, { rcode }), rcode }
}

function refusalOf({ edns, isInternet, asksFor }: Query): 'BADVERS' | 'REFUSED' | 'NOTIMP' | null {
  if (edns !== null && edns.version > 0) return 'BADVERS'
  if (!isInternet || asksFor === 'transfer') return 'REFUSED'
  return asksFor === 'meta' ? 'NOTIMP' : null
}

export function writeReply(query: Query, transport: Transport, content: ReplyContent): Buffer {
  return transport === 'udp' ? datagramReply(query, content) : streamReply(query, content)
}
