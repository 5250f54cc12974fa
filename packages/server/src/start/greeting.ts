import { styleText } from 'node:util'
import type { OfferedPackage } from '../api/offered-packages.ts'
import type { Addresses } from '../config/addresses.ts'

/** For people. Logs go to standard output too, as JSON lines. */
export function printGreeting({
  print,
  addresses,
  commandLine,
  lab,
  firstToken,
  sample,
  recordsToAdd,
}: {
  print: (text: string) => void
  addresses: Addresses
  /** Null if it was not built. */
  commandLine: Pick<OfferedPackage, 'url'> | null
  /** The address of the lab's DNS server. */
  lab: { address: string; port: number } | null
  firstToken: string | null
  /** Null if it is not published. */
  sample: string | null
  /** For the nameserver of our own; empty without one. */
  recordsToAdd: readonly string[]
}): void {
  const rows: [string, string][] = [
    ['Dashboard', addresses.dashboard],
    ['API', `${addresses.dashboard}/v1`],
    ['Docs', `${addresses.dashboard}/docs`],
  ]
  if (lab !== null) rows.push(['Lab DNS', `${lab.address}:${lab.port}`])
  if (firstToken !== null && sample !== null) rows.push(['Sample', sample])
  const lines = ['', styleText('bold', 'Masthead is running'), '']
  for (const [name, url] of rows) lines.push(`  ${name.padEnd(11)}${url}`)
  if (recordsToAdd.length > 0) {
    lines.push('', 'For certificates by DNS, the zone of the platform domain needs these records:', '')
    for (const record of recordsToAdd) lines.push(`  ${record}`)
  }
  if (firstToken !== null) {
    lines.push(
      '',
      'Open this link to create the first account. It works once:',
      '',
      `  ${styleText('bold', `${addresses.dashboard}/welcome#${firstToken}`)}`,
      '',
    )
    if (commandLine !== null) {
      lines.push(
        'Then publish a folder, from any terminal with Node.js 20 or newer:',
        '',
        `  npx ${commandLine.url} login`,
        `  npx ${commandLine.url} deploy ./some-folder`,
      )
    }
  }
  print(`${lines.join('\n')}\n\n`)
}
