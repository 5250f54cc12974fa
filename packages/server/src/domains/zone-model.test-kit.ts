import { type Answer, AUTHORITATIVE_ANSWER, type DecodedPacket, type StringRecordType } from 'dns-packet'
import { type Answerer, answerBytes, startAnswerer } from '../dns/answerer.test-kit.ts'

/** Records of two zones, the lower one owned by someone else: `acme.test` and `lent.acme.test`. */
export interface ZoneModel {
  /** Addresses of the apex. */
  addresses: string[]
  /** Values at `_masthead-challenge.acme.test`. */
  texts: Set<string>
  /** By name. */
  aliases: Map<string, string>
}

const zones = ['lent.acme.test', 'acme.test']

/** A resolver and nameserver in one, whose records change immediately. */
export function startZoneModel(model: ZoneModel): Promise<Answerer> {
  return startAnswerer(({ packet, reply }) => reply(answerTo(packet, model)))
}

function answerTo(query: DecodedPacket, model: ZoneModel): Buffer {
  const { name = '', type = 'A' } = query.questions?.[0] ?? {}
  const flags = AUTHORITATIVE_ANSWER
  const answers = recordsAt(name, type, model)
  const zone = zones.find((one) => name === one || name.endsWith(`.${one}`))
  const soa: Answer = {
    type: 'SOA',
    name: zone ?? 'test',
    ttl: 5,
    data: {
      mname: 'ns.acme.test',
      rname: 'x.acme.test',
      serial: 1,
      refresh: 1,
      retry: 1,
      expire: 1,
      minimum: 5,
    },
  }
  return answerBytes(query, answers, { flags, authorities: answers.length === 0 ? [soa] : [] })
}

function recordsAt(name: string, type: string, { addresses, texts, aliases }: ZoneModel): Answer[] {
  const strings = (of: StringRecordType, values: Iterable<string>) =>
    [...values].map((data): Answer => ({ type: of, name, ttl: 60, data }))
  if (type === 'NS' && zones.includes(name)) return strings('NS', ['ns.acme.test'])
  if (name === 'ns.acme.test' && type === 'A') return strings('A', ['127.0.0.1'])
  const alias = aliases.get(name)
  if (alias !== undefined) return strings('CNAME', [alias])
  if (name === 'acme.test' && type === 'A') return strings('A', addresses)
  if (name !== '_masthead-challenge.acme.test' || type !== 'TXT') return []
  return [...texts].map((data): Answer => ({ type: 'TXT', name, ttl: 60, data }))
}
