import type { DnsRecord, RecordType } from './dns-record.ts'
import { isWithin } from './domain-name.ts'
import type { DnsMessage } from './read-message.ts'

export interface DnsQuestion {
  name: string
  type: RecordType
}

export interface DnsAnswer {
  /** `NOERROR`, `NXDOMAIN`, `SERVFAIL`, `REFUSED`, `NOTIMP`, `FORMERR`, or `RCODE` with its number. */
  rcode: string
  authoritative: boolean
  /** The records of the name and of its CNAME targets, as far as the server included them. */
  answers: DnsRecord[]
  /** The DNAME above the name, from which the server made its CNAME (RFC 6672, section 3.1). */
  dname?: DnsRecord
  /** SOA and NS of the zones of these names. */
  authority: DnsRecord[]
  /** Addresses of these nameservers. */
  glue: DnsRecord[]
  /** How long caches may keep a negative answer, in seconds: RFC 2308, section 5. */
  negativeTtl: number | null
}

const maxRecords = 100
/** Any CAA record may be the one that allows us, so all that fit into a message are read. */
const maxAnswers: Partial<Record<RecordType, number>> = { CAA: 6_000 }

/** The part of a message that answers the question. Everything else is dropped. */
export function answerTo(question: DnsQuestion, message: DnsMessage): DnsAnswer {
  const names = namesInChain(question, message.answers)
  const answers = message.answers
    .filter(({ name, type }) => names.includes(name) && (type === question.type || type === 'CNAME'))
    .slice(0, maxAnswers[question.type] ?? maxRecords)
  const authority = message.authority
    .filter(
      ({ name, type }) => (type === 'SOA' || type === 'NS') && names.some((held) => isWithin(held, name)),
    )
    .slice(0, maxRecords)
  const nameservers = [...answers, ...authority].filter(({ type }) => type === 'NS').map(({ value }) => value)
  const glue = message.additional.filter(
    ({ name, type }) => (type === 'A' || type === 'AAAA') && nameservers.includes(name),
  )
  const dname = message.answers.find(
    ({ name, type }) => type === 'DNAME' && name !== question.name && isWithin(question.name, name),
  )
  return {
    rcode: message.rcode,
    authoritative: message.isAuthoritative,
    answers,
    ...(dname !== undefined && { dname }),
    authority,
    glue: glue.slice(0, maxRecords),
    negativeTtl: answers.some(({ type }) => type === question.type)
      ? null
      : negativeTtl(message.rcode, authority),
  }
}

/** The name in question and its chain of CNAME targets. */
function namesInChain(question: DnsQuestion, records: DnsRecord[]): string[] {
  const names = [question.name]
  if (question.type === 'CNAME') return names
  while (names.length < maxRecords) {
    const alias = records.find(({ name, type }) => type === 'CNAME' && name === names.at(-1))
    if (alias === undefined || names.includes(alias.value)) break
    names.push(alias.value)
  }
  return names
}

function negativeTtl(rcode: string, authority: DnsRecord[]): number | null {
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return null
  const start = authority.find(({ type }) => type === 'SOA')
  return start?.soa === undefined ? null : Math.min(start.ttl, start.soa.minimum)
}

/** Whether the answer is definite: neither an error nor a referral. */
export function isDefinite(answer: DnsAnswer): boolean {
  return answer.rcode === 'NXDOMAIN' || (answer.rcode === 'NOERROR' && !isReferral(answer))
}

/** Nameservers but no SOA mean "ask them", not "no such record" (RFC 2308, section 2.2). */
export function isReferral({ rcode, authoritative, answers, authority }: DnsAnswer): boolean {
  const types = authority.map(({ type }) => type)
  return (
    rcode === 'NOERROR' &&
    !authoritative &&
    answers.length === 0 &&
    types.includes('NS') &&
    !types.includes('SOA')
  )
}
