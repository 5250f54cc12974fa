import { absoluteValue, commentText, type ExportedRecord, type ExportedZone } from './zone-records.ts'

/** A document for each zone, as its YAML provider reads them from one file per zone. */
export function toOctodns(zones: readonly ExportedZone[]): string {
  return zones
    .map(({ zone, records }) => [`# ${commentText(zone)}.yaml`, '---', ...namesOf(records), ''].join('\n'))
    .join('\n')
}

/** octoDNS refuses files whose names are not sorted. */
function namesOf(records: readonly ExportedRecord[]): string[] {
  const names = [...new Set(records.map(({ name }) => name))]
  const key = (name: string) => (name === '@' ? '' : name)
  return names
    .toSorted((one, other) => compareNaturally(key(one), key(other)))
    .flatMap((name) => [
      `${yamlString(key(name))}:`,
      ...typesOf(records.filter((record) => record.name === name)),
    ])
}

/** As octoDNS does: numbers by their value, all else by code points, so that `*` comes before `_`. */
function compareNaturally(one: string, other: string): number {
  const [left, right] = [one, other].map((name) => name.split(/(\d+)/))
  for (const [index, part] of left?.entries() ?? []) {
    const its = right?.[index]
    if (its === undefined) return 1
    const difference = index % 2 === 1 ? Number(part) - Number(its) : compareText(part, its)
    if (difference !== 0) return difference
  }
  return (left?.length ?? 0) - (right?.length ?? 0)
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function typesOf(records: readonly ExportedRecord[]): string[] {
  const types = [...new Set(records.map(({ type }) => type))].toSorted()
  return types.flatMap((type) => {
    const set = records.filter((record) => record.type === type)
    const values = set.map((record) => yamlString(octodnsValue(record)))
    const value =
      values.length === 1 ? [`value: ${values[0]}`] : ['values:', ...values.map((one) => `- ${one}`)]
    const lines = [`ttl: ${set[0]?.ttl}`, `type: ${type}`, ...value]
    return lines.map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`))
  })
}

/** octoDNS splits TXT values itself, and wants semicolons escaped. */
function octodnsValue(record: ExportedRecord): string {
  return record.type === 'TXT' ? record.value.replaceAll(';', '\\;') : absoluteValue(record)
}

/** A JSON string is a YAML string in double quotes, which has no special characters but escapes. */
function yamlString(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
