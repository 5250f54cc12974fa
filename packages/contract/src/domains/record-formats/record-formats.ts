import { toBind } from './bind.ts'
import { toDnscontrol } from './dnscontrol.ts'
import { changesToSend, instructionsText, type ShownDomain } from './instructions.ts'
import { toOctodns } from './octodns.ts'
import { toTerraform } from './terraform.ts'
import { zonesOf } from './zone-records.ts'

export interface RecordFormat {
  title: string
  /** What to do with the text. */
  hint: string
  write(domains: readonly ShownDomain[]): string
}

/** Those with something to change; all of them if nothing has to be. */
function toInstruct(domains: readonly ShownDomain[]): readonly ShownDomain[] {
  const pending = domains.filter((domain) => changesToSend(domain).some(({ action }) => action !== 'keep'))
  return pending.length === 0 ? domains : pending
}

/** The DNS records of domains as texts for people and for programs. The dashboard and the command line use this table. */
export const recordFormats = {
  message: {
    title: 'Message',
    hint: 'Send it to the person who manages your DNS.',
    write: (domains) =>
      `${toInstruct(domains)
        .map((domain) => instructionsText(domain).body)
        .join('\n\n\n')}\n`,
  },
  bind: {
    title: 'Zone file',
    hint: 'For BIND, Knot, NSD and most imports. ALIAS becomes addresses, because zone files have none.',
    write: (domains) => toBind(zonesOf(domains, { addresses: true })),
  },
  terraform: {
    title: 'Terraform',
    hint: 'For the provider hashicorp/dns. With another provider, change the names of resources and attributes.',
    write: (domains) => toTerraform(zonesOf(domains, { addresses: true })),
  },
  dnscontrol: {
    title: 'DNSControl',
    hint: 'Add it to dnsconfig.js, after the D() of each zone.',
    write: (domains) => toDnscontrol(zonesOf(domains)),
  },
  octodns: {
    title: 'octoDNS',
    hint: 'Merge it into the YAML file of each zone.',
    write: (domains) => toOctodns(zonesOf(domains)),
  },
} as const satisfies Record<string, RecordFormat>

export type RecordFormatName = keyof typeof recordFormats
export const recordFormatNames = Object.keys(recordFormats) as [RecordFormatName, ...RecordFormatName[]]
