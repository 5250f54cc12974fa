import { absoluteValue, type ExportedRecord, type ExportedZone } from './zone-records.ts'

/** Additions to domains that are declared elsewhere in dnsconfig.js, with their registrar and provider. */
export function toDnscontrol(zones: readonly ExportedZone[]): string {
  return zones
    .map(({ zone, records }) =>
      [`D_EXTEND(${jsString(zone)},`, ...records.map((record) => `  ${call(record)},`), ');', ''].join('\n'),
    )
    .join('\n')
}

function call(record: ExportedRecord): string {
  const { type, name, ttl } = record
  return `${type}(${jsString(name)}, ${jsString(absoluteValue(record))}, TTL(${ttl}))`
}

function jsString(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u2028\u2029<]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
