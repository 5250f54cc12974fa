import { absoluteValue, commentText, type ExportedRecord, type ExportedZone } from './zone-records.ts'

/** RFC 1035, section 5. ALIAS is not part of it. */
export function toBind(zones: readonly ExportedZone[]): string {
  return zones
    .map(({ zone, records }) => [`$ORIGIN ${bindName(zone)}.`, ...records.map(recordLine), ''].join('\n'))
    .join('\n')
}

function recordLine(record: ExportedRecord): string {
  const { name, type, ttl } = record
  const owner = name === '@' ? '@' : bindName(name)
  if (type === 'ALIAS') {
    const target = commentText(absoluteValue(record))
    return `; ${commentText(owner)} ${ttl} ALIAS ${target} (zone files have no ALIAS: use the addresses of ${target})`
  }
  const value = type === 'TXT' ? txtStrings(record.value) : bindName(absoluteValue(record))
  return `${owner} ${ttl} IN ${type} ${value}`
}

/** Everything that has a meaning in zone files is written as its number. */
function bindName(name: string): string {
  return escapeBytes(name, /[A-Za-z0-9._*:-]/)
}

const longestString = 255

/** A TXT record holds strings of up to 255 bytes, which readers join. */
function txtStrings(value: string): string {
  const bytes = new TextEncoder().encode(value)
  const strings: string[] = []
  for (let start = 0; start === 0 || start < bytes.length; start += longestString) {
    strings.push(`"${escapeOctets(bytes.subarray(start, start + longestString), /[ !#-[\]-~]/)}"`)
  }
  return strings.join(' ')
}

function escapeBytes(text: string, plain: RegExp): string {
  return escapeOctets(new TextEncoder().encode(text), plain)
}

function escapeOctets(bytes: Uint8Array, plain: RegExp): string {
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte)
    return plain.test(character) ? character : `\\${String(byte).padStart(3, '0')}`
  }).join('')
}
