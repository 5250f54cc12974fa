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
  /** Asks a resolver to find the answer instead of telling only what it holds itself. */
  recursive?: boolean | undefined
  /** Asks a resolver for the answer even where DNSSEC speaks against it. */
  checkingDisabled?: boolean | undefined
  deadlineMs?: number | undefined
  signal?: AbortSignal | undefined
}

export const questionDeadline = 5 * second
const firstWait = 0.8 * second
/** What passes every network in one piece: the size that DNS servers agreed on in 2020. */
const largestDatagram = 1232

/**
 * One question to one server. Datagrams get lost, so it is asked again after 0.8 s, then 1.6 s, 3.2 s …, each time
 * with a new id from a new port. Throws a DnsError, or the signal's reason.
 */
export async function ask(
  server: DnsServer,
  asked: DnsQuestion,
  options: AskOptions = {},
): Promise<DnsAnswer> {
  const question = { name: normalizeName(asked.name), type: asked.type }
  if (!isAskable(question.name)) throw new DnsError('malformed', 'The name cannot be asked for')
  const { signal } = options
  const end = performance.now() + (options.deadlineMs ?? questionDeadline)
  const left = () => Math.max(0, end - performance.now())

  async function attempt(wait: number, withEdns: boolean): Promise<DnsAnswer> {
    const id = randomInt(0x10000)
    const query = encodeQuery(id, question, options, withEdns)
    const accept = (bytes: Buffer) => replyTo(id, question, bytes)
    const reply = await askOverUdp(server, query, accept, { timeoutMs: Math.min(wait, left()), signal })
    // Servers that are older than EDNS take it for an error (RFC 6891, section 7).
    if (withEdns && (reply.rcode === 'FORMERR' || reply.rcode === 'NOTIMP')) return attempt(wait, false)
    if (!reply.isTruncated) return answerTo(question, reply)
    const whole = await askOverTcp(server, query, accept, { timeoutMs: left(), signal }).catch((error) => {
      if (!(error instanceof DnsError) || error.kind === 'malformed') throw error
      throw new DnsError('truncated', `${server.address} gave only part of its answer`, error)
    })
    if (whole.isTruncated) throw new DnsError('truncated', `${server.address} gave only part of its answer`)
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

function edns(): OptAnswer {
  const rest = { extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }
  return { type: 'OPT', name: '.', udpPayloadSize: largestDatagram, ...rest }
}

/** Null for what is not the reply to this query. The id is looked at first: strangers get no more attention. */
function replyTo(id: number, question: DnsQuestion, bytes: Buffer): DnsMessage | null {
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== id) return null
  const message = readMessage(bytes)
  if (!message.isResponse) return null
  // Without its question a failure may come back, as some servers do it, but no statement about a name.
  if (message.question === null) return isStatement(message.rcode) ? null : message
  const { name, typeCode, isInternet } = message.question
  return name === question.name && typeCode === recordCodes[question.type] && isInternet ? message : null
}

function isStatement(rcode: string): boolean {
  return rcode === 'NOERROR' || rcode === 'NXDOMAIN'
}

export type Ask = typeof ask

/** As many as the resolver of a system asks. */
export const maxResolvers = 3

/** Asks one after the other within the deadline, until one knows. Throws a DnsError where none says anything. */
export async function askResolvers(
  ask: Ask,
  resolvers: readonly DnsServer[],
  question: DnsQuestion,
  options: AskOptions,
): Promise<DnsAnswer> {
  const asked = resolvers.slice(0, maxResolvers)
  const deadlineMs = (options.deadlineMs ?? questionDeadline) / asked.length
  let refusal: DnsAnswer | undefined
  let fault = new DnsError('unreachable', 'There is no resolver to ask')
  for (const resolver of asked) {
    try {
      const answer = await ask(resolver, question, { ...options, recursive: true, deadlineMs })
      if (isDefinite(answer)) return answer
      refusal ??= answer
    } catch (error) {
      if (!(error instanceof DnsError)) throw error
      fault = error
    }
  }
  if (refusal === undefined) throw fault
  return refusal
}
