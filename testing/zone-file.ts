/** Record lines such as `www 300 CNAME target.example.`; names without a final dot are below the zone. */
export type ZoneContent = string | { records: string; negativeTtl?: number }

/**
 * The lines as a whole zone file. The start of authority is always added; the nameserver `ns` at the given
 * address only where the lines bring none of their own for the apex (written as `@ … NS …`).
 */
export function zoneFile(zone: string, content: ZoneContent, serial: number, address: string): string {
  const { records, negativeTtl = 300 } = typeof content === 'string' ? { records: content } : content
  const bringsNameservers = /^@\s[^;\n]*\bNS\s/im.test(records)
  const nameserver = bringsNameservers ? '' : `@ NS ns\nns A ${address}\n`
  const authority = `@ SOA ns hostmaster ${serial} 3600 600 86400 ${negativeTtl}\n`
  const lines = records.split('\n').map((line) => line.trim())
  return `$ORIGIN ${zone}.\n$TTL 3600\n${authority}${nameserver}${lines.join('\n')}\n`
}
