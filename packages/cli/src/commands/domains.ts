import { recordFormatNames } from '@masthead/contract/domains/record-formats/record-formats.ts'
import { shellName } from '@masthead/contract/domains/shell-name.ts'
import { command } from '../arguments/command.ts'
import { runVerb } from '../arguments/verbs.ts'
import { add } from '../domains/add.ts'
import { branch } from '../domains/branch.ts'
import { config, primary, redirect } from '../domains/config.ts'
import { certificate } from '../domains/files/certificate.ts'
import { importDomains } from '../domains/files/import.ts'
import { records } from '../domains/files/records.ts'
import { proofs, prove } from '../domains/prove.ts'
import { proxied } from '../domains/proxied/proxied.ts'
import { remove } from '../domains/remove.ts'
import { list, show } from '../domains/show.ts'
import { timeline } from '../domains/timeline.ts'
import type { DomainVerb } from '../domains/verb.ts'
import { check, reverify, verify } from '../domains/verify.ts'

const verbs: Record<string, DomainVerb> = {
  list,
  add,
  show,
  verify,
  reverify,
  remove,
  timeline,
  certificate,
  records,
  import: importDomains,
  check,
  config,
  primary,
  redirect,
  branch,
  proxied,
  prove,
  proofs,
}

const options = {
  move: { type: 'boolean', help: 'add: move the domain here from another project of yours' },
  'no-wait': { type: 'boolean', help: 'verify, reverify: check once and report by exit code' },
  all: { type: 'boolean', help: 'timeline: show all 90 days, not only the latest 100 entries' },
  status: { type: 'string', value: 'STATUS', help: 'redirect: 301 (default), 302, 307 or 308' },
  remove: {
    type: 'boolean',
    help: 'redirect, branch, certificate, prove: undo what was set there',
  },
  chain: {
    type: 'string',
    value: 'FILE',
    help: 'certificate: the certificate and its intermediates, in PEM',
  },
  format: {
    type: 'string',
    value: 'FORMAT',
    help: `records: table (default), ${recordFormatNames.join(', ')}`,
  },
  key: { type: 'string', value: 'FILE', help: 'certificate: its private key, in PEM' },
  provider: {
    type: 'string',
    value: 'PROVIDER',
    help: 'proxied: cloudflare, fastly or other',
  },
  off: { type: 'boolean', help: 'proxied: the domain is no longer behind a proxy' },
} as const

export const domains = command({
  name: 'domains',
  summary: 'Add and manage custom domains',
  usage: [
    'domains',
    'domains add NAME [--move]',
    'domains show NAME',
    'domains verify NAME [--no-wait]',
    'domains reverify NAME [--no-wait]',
    'domains remove NAME',
    'domains timeline NAME [--all]',
    'domains certificate NAME --chain FILE --key FILE',
    'domains certificate NAME --remove',
    'domains records [NAME] [--format FORMAT]',
    'domains import FILE',
    'domains check NAME',
    'domains config',
    'domains primary NAME',
    'domains redirect FROM TO [--status STATUS]',
    'domains redirect FROM --remove',
    'domains branch NAME BRANCH',
    'domains branch NAME --remove',
    'domains proxied NAME --provider PROVIDER',
    'domains proxied NAME --off',
    'domains prove NAME [--remove]',
    'domains proofs',
  ],
  about: [
    'add shows the DNS record to set. verify checks DNS now, shows what each nameserver answers and what to change,\nand waits until the domain is verified. Ctrl-C stops the waiting, not the checks. reverify also requests a new\ncertificate. check looks at a domain before you add it and saves nothing.',
    'prove shows one TXT record that proves a whole domain for the account. While it is in DNS, names below it need\nno other proof, and no other account can add them. Run it again to look for the record now.',
    'proxied marks a domain as behind Cloudflare, Fastly or another CDN: it is proved by a TXT record then, and\nchecked by requests through the proxy.',
    'verify, reverify, prove and check exit with 0 if DNS is correct and with 1 if it is not. Before a domain is\nadded, check exits with 0 if nothing is in its way.',
  ],
  options,
  examples: [
    ['masthead domains', 'the domains of the project and their status'],
    ['masthead domains check www.acme.com', 'what DNS says now, without saving anything'],
    ['masthead domains add www.acme.com', 'add it and see the record to set'],
    ['masthead domains verify www.acme.com', 'wait until DNS is correct'],
    ['masthead domains certificate www.acme.com --chain chain.pem --key key.pem', 'use your own certificate'],
    ['masthead domains records --format bind', 'the DNS records of all domains as a zone file'],
    ['masthead domains import vercel.json', 'add the domains that the file names'],
    ['masthead domains primary www.acme.com', 'make it the main address of the site'],
    ['masthead domains branch next.acme.com next', 'show the newest deployment of a branch there'],
    ['masthead domains redirect acme.com www.acme.com', 'redirect the other domain there'],
    ['masthead domains proxied www.acme.com --provider cloudflare', 'keep Cloudflare in front of it'],
    ['masthead domains prove acme.com', 'own acme.com and everything below it'],
  ],
  words: 3,
  run: (context, values, words) =>
    runVerb({ command: 'domains', options, verbs, adviceFor }, context, values, words),
})

function adviceFor(word: string): string | undefined {
  if (!word.includes('.')) return undefined
  const name = shellName(word)
  return `Did you mean \`masthead domains add ${name}\`, or \`masthead domains show ${name}\`?`
}
