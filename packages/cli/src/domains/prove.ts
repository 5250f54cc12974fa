import { listAll } from '@masthead/client/paginate.ts'
import { type ProofState, proofStates } from '@masthead/contract/domains/proofs.ts'
import type { Proof } from '@masthead/contract/schemas/domains/proof.ts'
import type { CommandResult } from '../arguments/command.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../errors/command-error.ts'
import { confirm } from '../terminal/ask.ts'
import { clockTime } from '../terminal/format.ts'
import { alignColumns, wrapText } from '../terminal/layout.ts'
import { findingLines, recordTable } from './check-lines.ts'
import { paragraphs } from './domain-lines.ts'
import { displayHostname, parseHostname } from './hostname.ts'
import type { DomainVerb } from './verb.ts'

const styles = {
  proved: 'green',
  pending: 'yellow',
  drifted: 'yellow',
  ended: 'red',
} as const satisfies Record<ProofState, string>

/** Shows the record the first time, and looks for it from then on. */
export const prove: DomainVerb = {
  takes: ['NAME'],
  options: ['remove'],
  async run(context, [word = ''], values) {
    const domain = parseHostname(word)
    if (values.remove) return removeProof(context, domain)
    const { signal } = context
    const client = await context.signedIn()
    const known = await listAll(client.listProofs, { query: { limit: 100 }, signal })
    const started = await client.startProof({ body: { domain }, signal })
    const isNew = !known.some((one) => one.domain === started.domain)
    const proof = isNew ? started : await client.verifyProof({ params: { domain: started.domain }, signal })
    const isProved = proofStates[proof.state].stands
    return {
      document: proof,
      text: proofLines(context, proof).join('\n'),
      ...(isNew || isProved ? {} : { failure: notProved(proof) }),
    }
  },
}

function proofLines({ out }: CommandContext, proof: Proof): string[] {
  const paint = out.style.bind(out)
  const { domain, state, record, lastCheck, endsAt } = proof
  const place = { now: Date.now(), width: out.width, also: '' }
  const asked = `Set this record in the DNS of ${domain}. It proves ${domain} and everything below it:`
  const next = {
    proved: 'Keep the record: we check it daily. Names below it need no other proof.',
    pending: `We look for it automatically. To look now: masthead domains prove ${domain}`,
    drifted: `Set it again${endsAt === null ? '' : ` before ${clockTime(endsAt, place.now)}`}, or the proof ends.`,
    ended: `To look for it again: masthead domains prove ${domain}`,
  } satisfies Record<ProofState, string>
  return paragraphs([
    [title(proof, out)],
    ...(lastCheck?.findings ?? []).map((finding) => findingLines(finding, place, paint)),
    state === 'proved' ? [] : wrapText(asked, out.width),
    state === 'proved' ? [] : recordTable([record], paint),
    wrapText(next[state], out.width),
  ])
}

function title(proof: Proof, out: CommandContext['out']): string {
  return `${out.style('bold', displayHostname({ ...proof, hostname: proof.domain }))}  ${out.style(styles[proof.state], proofStates[proof.state].title)}`
}

function notProved({ domain, lastCheck }: Proof): CommandError {
  return lastCheck?.outcome === 'unclear'
    ? new CommandError('domain_unclear', `The DNS of ${domain} could not be checked.`, '')
    : new CommandError('domain_not_right', `${domain} is not proved yet.`, '')
}

/** Lists the proofs of the account. */
export const proofs: DomainVerb = {
  takes: [],
  async run(context) {
    const { out, signal } = context
    const client = await context.signedIn()
    const found = await listAll(client.listProofs, { query: { limit: 100 }, signal })
    if (found.length === 0) {
      out.note('No domain is proved for the whole account yet. Prove one: masthead domains prove acme.com')
    }
    const rows = found.map((proof) => [
      out.style('bold', displayHostname({ ...proof, hostname: proof.domain })),
      out.style(styles[proof.state], proofStates[proof.state].title),
      proof.endsAt === null || proof.state !== 'drifted'
        ? ''
        : `ends at ${clockTime(proof.endsAt, Date.now())}`,
    ])
    return { document: found, text: alignColumns(rows).join('\n') }
  },
}

async function removeProof(context: CommandContext, domain: string): Promise<CommandResult> {
  const { out, signal } = context
  const client = await context.signedIn()
  if (!context.yes) {
    const warning = `Other accounts can claim names below ${domain} again, if they control its DNS.`
    if (!(await confirm(`${warning}\nRemove the proof of ${domain}?`, context))) {
      throw new CommandError('kept', `The proof of ${domain} was not removed.`, '')
    }
  }
  await client.removeProof({ params: { domain }, signal })
  out.note(`${out.noteStyle('green', `Removed the proof of ${domain}`)}. Remove its TXT record too.`)
  return { document: { domain, removed: true }, text: '' }
}
