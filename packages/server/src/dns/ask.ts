import { randomInt } from 'node:crypto'
import { CHECKING_DISABLED, encode, type OptAnswer, RECURSION_DESIRED } from 'dns-packet'
import { second } from '../kernel/clock.ts'
import { answerTo, type DnsAnswer, type DnsQuestion, isDefinite } from './dns-answer.ts'
import { DnsError } from './dns-error.ts'
import { recordCodes } from './dns-record.ts'
import { isAskable, normalizeName } from './domain-name.ts'
import { type DnsMessage, readMessage } from './read-message.ts'
import { askOverTcp, askOverUdp, type DnsServer } from './transport.ts'

export interface AskOptions {
  /** Asks a resolver to look up the answer elsewhere. */
  recursive?: boolean | undefined
  /** Asks a resolver to answer even if DNSSEC validation fails. */
  checkingDisabled?: boolean | undefined
  /** Asks over TCP at once, instead of after a truncated reply. */
  overTcp?: boolean | undefined
  deadlineMs?: number | undefined
  signal?: AbortSignal | undefined
}

export const questionDeadline = 5 * second
const firstWait = 0.8 * second
/** Fits through every network without fragmentation: the size from DNS Flag Day 2020. */
export const largestDatagram = 1232

/**
 * Sends one question to one server. Datagrams get lost, so it is repeated after 0.8 s, then 1.6 s, 3.2 s …, each time
 * with a new id from a new port. Throws a DnsError, or the signal's reason.
 */
export async function ask(
  server: DnsServer,
  asked: DnsQuestion,
  options: AskOptions = {},
): Promise<DnsAnswer> {
  const question = { name: normalizeName(asked.name), type: asked.type }
  if (!isAskable(question.name)) throw new DnsError('malformed', 'The name cannot be looked up')
  const { signal } = options
  const end = performance.now() + (options.deadlineMs ?? questionDeadline)
  const left = () => Math.max(0, end - performance.now())

  async function attempt(wait: number, withEdns: boolean): Promise<DnsAnswer> {
    const id = randomInt(0x10000)
    const query = encodeQuery(id, question, options, withEdns)
    const accept = (bytes: Buffer) => replyTo(id, question, bytes)
    const limits = { timeoutMs: Math.min(wait, left()), signal }
    const reply = await (options.overTcp === true
      ? askOverTcp(server, query, accept, { ...limits, timeoutMs: left() })
      : askOverUdp(server, query, accept, limits))
    // Servers older than EDNS reject it as an error (RFC 6891, section 7).
    if (withEdns && (reply.rcode === 'FORMERR' || reply.rcode === 'NOTIMP')) return attempt(wait, false)
    if (!reply.isTruncated) return answerTo(question, reply)
    const whole = await askOverTcp(server, query, accept, { timeoutMs: left(), signal }).catch((error) => {
      if (!(error instanceof DnsError) || error.kind === 'malformed') throw error
      throw new DnsError('truncated', `${server.address} sent only part of its answer`, error)
    })
    if (whole.isTruncated) throw new DnsError('truncated', `${server.address} sent only part of its answer`)
    return answerTo(question, whole)
  }

  for (let wait = firstWait; ; wait *= 2) {
    try {
      return await attempt(wait, true)
    } catch (error) {
      const isLost = error instanceof DnsError && error.kind === 'timeout'
      if (!isLost || left() === 0) throw error
    }
  }
}

function encodeQuery(id: number, question: DnsQuestion, options: AskOptions, withEdns: boolean): Buffer {
  const flags =
    (options.recursive === true ? RECURSION_DESIRED : 0) |
    (options.checkingDisabled === true ? CHECKING_DISABLED : 0)
  return encode({
    type: 'query',
    id,
    flags,
    questions: [{ ...question, name: question.name || '.' }],
    additionals: withEdns ? [edns()] : [],
  })
}

export function edns(): OptAnswer {
  const rest = { extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }
  return { type: 'OPT', name: '.', udpPayloadSize: largestDatagram, ...rest }
}

/**
 * Everything else waits while an answer is parsed, and a hostile zone has many nameservers that can answer at the same
 * moment. Only CAA records may be longer: any of them may be the one that allows us.
 */
const longestAnswer = 8_192

/** Null if it is not the reply to this query. The id is checked before anything is parsed. */
function replyTo(id: number, question: DnsQuestion, bytes: Buffer): DnsMessage | null {
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== id) return null
  if (bytes.length > longestAnswer && question.type !== 'CAA') {
    throw new DnsError('malformed', 'The answer is longer than any sensible one')
  }
  const message = readMessage(bytes)
  if (!message.isResponse) return null
  // Some servers leave out the question when they fail. An answer about a name must have it.
  if (message.question === null) return isAnswer(message.rcode) ? null : message
  const { name, typeCode, isInternet } = message.question
  return name === question.name && typeCode === recordCodes[question.type] && isInternet ? message : null
}

function isAnswer(rcode: string): boolean {
  return rcode === 'NOERROR' || rcode === 'NXDOMAIN'
}

export type Ask = typeof ask

/** As many as a system resolver uses. */
export const maxResolvers = 3

/** Asks one resolver after the other within the deadline. Throws a DnsError if none of them answers. */
export async function askResolvers(
  ask: Ask,
  resolvers: readonly DnsServer[],
  question: DnsQuestion,
  options: AskOptions,
): Promise<DnsAnswer> {
  const asked = resolvers.slice(0, maxResolvers)
  const deadlineMs = (options.deadlineMs ?? questionDeadline) / asked.length
  let refusal: DnsAnswer | undefined
  let lastError = new DnsError('unreachable', 'No resolver is configured')
  for (const resolver of asked) {
    try {
      const answer = await ask(resolver, question, { ...options, recursive: true, deadlineMs })
      if (isDefinite(answer)) return answer
      refusal ??= answer
    } catch (error) {
      if (!(error instanceof DnsError)) throw error
      lastError = error
    }
  }
  if (refusal === undefined) throw lastError
  return refusal
}
