import { absoluteValue, commentText, type ExportedRecord, type ExportedZone } from './zone-records.ts'

const kinds = {
  CNAME: { resource: 'dns_cname_record', attribute: 'cname', isList: false },
  A: { resource: 'dns_a_record_set', attribute: 'addresses', isList: true },
  AAAA: { resource: 'dns_aaaa_record_set', attribute: 'addresses', isList: true },
  TXT: { resource: 'dns_txt_record_set', attribute: 'txt', isList: true },
} as const

/**
 * For the provider hashicorp/dns, which speaks dynamic updates (RFC 2136) and so works with nameservers of any kind.
 * With the provider of a DNS company, only the names of resources and attributes differ.
 */
export function toTerraform(zones: readonly ExportedZone[]): string {
  const taken = new Set<string>()
  const blocks = zones.flatMap(({ zone, records }) => group(records).map((set) => resource(zone, set, taken)))
  return `${['# Provider: hashicorp/dns', ...blocks].join('\n\n')}\n`
}

/** Records of one name and type are one resource. */
function group(records: readonly ExportedRecord[]): [ExportedRecord, ...ExportedRecord[]][] {
  const sets = new Map<string, [ExportedRecord, ...ExportedRecord[]]>()
  for (const record of records) {
    const key = `${record.name} ${record.type}`
    const set = sets.get(key)
    if (set === undefined) sets.set(key, [record])
    else set.push(record)
  }
  return [...sets.values()]
}

function resource(zone: string, set: [ExportedRecord, ...ExportedRecord[]], taken: Set<string>): string {
  const [first] = set
  const { type, name, fqdn, ttl } = first
  if (type === 'ALIAS') {
    const target = commentText(absoluteValue(first))
    return `# ${commentText(fqdn)}: set ALIAS or ANAME to ${target}, or the addresses of ${target}`
  }
  const { resource, attribute, isList } = kinds[type]
  const values = set.map((record) => hclString(absoluteValue(record)))
  const lines = [
    `zone = ${hclString(`${zone}.`)}`,
    ...(name === '@' ? [] : [`name = ${hclString(name)}`]),
    `${attribute} = ${isList ? `[${values.join(', ')}]` : values[0]}`,
    `ttl = ${ttl}`,
  ]
  const label = uniqueLabel(`masthead_${fqdn}_${type}`, taken)
  return [`resource "${resource}" "${label}" {`, ...lines.map((line) => `  ${line}`), '}'].join('\n')
}

function uniqueLabel(text: string, taken: Set<string>): string {
  const base = text
    .toLowerCase()
    .replace('*', 'wildcard')
    .replaceAll(/[^a-z0-9_]/g, '_')
  let label = base
  for (let count = 2; taken.has(label); count++) label = `${base}_${count}`
  taken.add(label)
  return label
}

/** A quoted template without templates in it. */
export function hclString(text: string): string {
  const escaped = text
    .toWellFormed()
    .replaceAll(/["\\]/g, (character) => `\\${character}`)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
      const code = (character.codePointAt(0) ?? 0).toString(16)
      return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
    })
    .replaceAll(/([$%])\{/g, (template, sign) => `${sign}${template}`)
  return `"${escaped}"`
}
