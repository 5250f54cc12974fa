import { closestMatch } from '../arguments/closest-match.ts'
import { assertUsage, command } from '../arguments/command.ts'
import { add } from '../domains/add.ts'
import { config, primary, redirect } from '../domains/config.ts'
import { remove } from '../domains/remove.ts'
import { list, show } from '../domains/show.ts'
import { timeline } from '../domains/timeline.ts'
import type { DomainVerb } from '../domains/verb.ts'
import { check, reverify, verify } from '../domains/verify.ts'
import { usageError } from '../errors/command-error.ts'

const verbs: Record<string, DomainVerb> = {
  list,
  add,
  show,
  verify,
  reverify,
  remove,
  timeline,
  check,
  config,
  primary,
  redirect,
}

const options = {
  move: { type: 'boolean', help: 'add: take the domain over from another project of yours, as it is' },
  'no-wait': { type: 'boolean', help: 'verify, reverify: check once, and tell by the exit code' },
  all: { type: 'boolean', help: 'timeline: all 90 days, not the newest 100 entries only' },
  status: { type: 'string', value: 'STATUS', help: 'redirect: 301 (as a rule), 302, 307 or 308' },
  remove: { type: 'boolean', help: 'redirect: end the redirect of FROM' },
} as const

export const domains = command({
  name: 'domains',
  summary: 'Serve a project at names of your own',
  usage: [
    'domains',
    'domains add NAME [--move]',
    'domains show NAME',
    'domains verify NAME [--no-wait]',
    'domains reverify NAME [--no-wait]',
    'domains remove NAME',
    'domains timeline NAME [--all]',
    'domains check NAME',
    'domains config',
    'domains primary NAME',
    'domains redirect FROM TO [--status STATUS]',
    'domains redirect FROM --remove',
  ],
  about: [
    'add shows the DNS record to set. verify looks at DNS now, shows what every nameserver says and what to change,\nand stays until the name is verified; Ctrl-C ends only the watching. reverify also starts a fresh attempt at a\ncertificate. check looks at a name before it is added, and saves nothing.',
    'verify, reverify and check exit with 0 where DNS is right, and with 1 where it is not.',
  ],
  options,
  examples: [
    ['masthead domains', 'the names of the project, and what is waited for'],
    ['masthead domains check www.acme.com', 'what stands in DNS before anything is saved'],
    ['masthead domains add www.acme.com', 'add it, and see the record to set'],
    ['masthead domains verify www.acme.com', 'watch until DNS is right'],
    ['masthead domains primary www.acme.com', 'where visitors are meant to be'],
    ['masthead domains redirect acme.com www.acme.com', 'lead the other name there'],
  ],
  words: 3,
  async run(context, values, [name = 'list', ...words]) {
    const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
    if (verb === undefined) throw unknownVerb(name)
    assertUsage(verb, { name: `domains ${name}`, words, values }, options)
    return verb.run(context, words, values)
  },
})

function unknownVerb(name: string) {
  const meant = closestMatch(name, Object.keys(verbs))
  const isName = meant === null && name.includes('.')
  return usageError(
    `There is no \`masthead domains ${name}\`.`,
    isName
      ? `Did you mean \`masthead domains add ${name}\`, or \`masthead domains show ${name}\`?`
      : meant
        ? `Did you mean \`masthead domains ${meant}\`?`
        : 'See `masthead domains --help`.',
  )
}
