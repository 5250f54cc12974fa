import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import type { AcmeClient } from '../certificates/acme/acme-client.ts'
import {
  missingExternalAccount,
  readAccount,
  readAccountUrl,
} from '../certificates/acme-account/registration.ts'
import type { Authority } from '../certificates/authorities/authorities.ts'
import { type CaaVerdict, checkCaa } from '../certificates/caa/caa.ts'
import { caaFix } from '../certificates/caa/caa-fix.ts'
import { createCaaLookUp } from '../certificates/caa/look-up-caa.ts'
import { findAuthorityTrouble } from '../certificates/failing/authority-trouble.ts'
import { readRootTimes } from '../certificates/internal-ca/internal-issuer.ts'
import type { CaConfig, Config } from '../config/config.ts'
import type { Context } from '../database/database.ts'
import type { Dns } from '../dns/dns.ts'
import { day, isoTime } from '../kernel/clock.ts'
import type { KeyRing } from '../secrets/master-key.ts'
import { openExistingSealing } from '../secrets/open-sealing.ts'
import { describeError, ok, problem, warning } from './check.ts'

export interface AuthorityUnderCheck {
  ca: Pick<CaConfig, 'contact' | 'externalAccount'>
  authority: Pick<Authority, 'directoryUrl' | 'title' | 'identities'>
  client: Pick<AcmeClient, 'directory' | 'accountRefusal'>
}

export interface AuthorityParts {
  config: Pick<Config, 'platformDomain' | 'dashboardHost' | 'dataFolder'>
  masterKey: KeyRing | null
  context: Context | null
  dns: Pick<Dns, 'resolve'>
  /** Empty for the internal CA. Fresh clients each time, because clients remember the directory for a day. */
  openAcme(): Promise<AuthorityUnderCheck[]>
}

/** Whether the CAs answer, issue, and may issue for the platform's names. */
export async function checkAuthorities(parts: AuthorityParts, signal: AbortSignal): Promise<DoctorFinding[]> {
  const acme = await parts.openAcme()
  if (acme.length === 0) return [await checkInternalRoot(parts)]
  const findings = await Promise.all(acme.map((one) => checkAuthority(parts, one, signal)))
  return [...(await checkAttempts(parts)), ...findings.flat()]
}

/** Devices that trust the root stop trusting our certificates when another one takes its place. */
async function checkInternalRoot({ context }: AuthorityParts): Promise<DoctorFinding> {
  // The database has a check of its own.
  const root = context && (await readRootTimes(context).catch(() => null))
  if (root !== null && context !== null) {
    const { end, replacedAt } = root
    const trust = 'Trust the new one on every device: `masthead ca` prints it and explains how.'
    if (replacedAt !== null && context.now() - replacedAt < toldOfRoot)
      return warning(`The internal CA has had a new root since ${isoDay(replacedAt)}.`, trust)
    if (end - context.now() < toldOfRoot)
      return warning(
        `The root of the internal CA expires on ${isoDay(end)}, and a new one replaces it a week before.`,
        `${trust} Until then it prints the old one.`,
      )
  }
  return ok('The internal CA needs nobody else.')
}

const toldOfRoot = 90 * day

function isoDay(at: number): string {
  return isoTime(at).slice(0, 10)
}

/** A CA whose directory answers may still refuse every order. */
async function checkAttempts({ context }: AuthorityParts): Promise<DoctorFinding[]> {
  // The database has a check of its own.
  const trouble = context && (await findAuthorityTrouble(context).catch(() => null))
  if (trouble === null) return []
  const judge = trouble.isSerious ? problem : warning
  return [judge(trouble.problem, trouble.fix)]
}

/** Asks the CA, because the next order may be weeks away. */
async function checkAccount(
  { config, context, masterKey }: AuthorityParts,
  { authority, client }: AuthorityUnderCheck,
): Promise<DoctorFinding[]> {
  const { title, directoryUrl } = authority
  if (context === null) return []
  // The database and the master key have checks of their own.
  const source = { given: masterKey, dataFolder: config.dataFolder }
  const sealing = await openExistingSealing(context, source).catch(() => null)
  const account = sealing && (await readAccount({ ...context, sealing }, directoryUrl).catch(() => null))
  // One that the CA does not know is registered again with the next order.
  const refusal = account && (await client.accountRefusal(account).catch(() => null))
  if (refusal === null) return []
  return [
    problem(
      `${title} refuses the account of this server. ${refusal}.`,
      `Settle it with ${title}, or register a new account: npx masthead-server replace-ca-account`,
    ),
  ]
}

async function checkAuthority(
  parts: AuthorityParts,
  examined: AuthorityUnderCheck,
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  const { config, context, dns } = parts
  const { authority, client, ca } = examined
  const { title, directoryUrl } = authority
  const findings: DoctorFinding[] = []
  if (ca.contact === null) {
    findings.push(
      warning(`${title} cannot reach you about problems.`, 'Set MASTHEAD_CA_CONTACT to your mail address.'),
    )
  }
  let identities = authority.identities
  try {
    const { meta } = await client.directory()
    if (identities.length === 0) identities = meta.caaIdentities
    if (ca.externalAccount === null && meta.externalAccountRequired) {
      const missing =
        context === null ? null : await missingExternalAccount(context, client, authority).catch(() => null)
      if (missing !== null || context === null) {
        findings.push(
          problem(
            `${title} requires an external account.`,
            'Set MASTHEAD_CA_EAB_KID and MASTHEAD_CA_EAB_HMAC_KEY to the values it gave you.',
          ),
        )
      }
    }
    findings.push(ok(`${title} answers.`), ...(await checkAccount(parts, examined)))
  } catch (error) {
    findings.push(judgeUnreachable(title, directoryUrl, error))
  }
  const accountUri = (context && (await readAccountUrl(context, directoryUrl).catch(() => null))) ?? undefined
  const lookUp = createCaaLookUp(dns)
  const names = [...new Set([config.platformDomain, config.dashboardHost])]
  const verdicts = await Promise.all(
    names.map((name) => checkCaa(name, identities, lookUp, { accountUri, signal })),
  )
  return [...findings, ...verdicts.flatMap((verdict, index) => judgeCaa(names[index] ?? '', title, verdict))]
}

function judgeUnreachable(title: string, directoryUrl: string, error: unknown): DoctorFinding {
  const { code = '' } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
  const why = describeError((error as Error).cause ?? error)
  const isUntrusted = /CERT|SELF_SIGNED|VERIFY/.test(code) || /certificate/i.test(why)
  return problem(
    `${title} could not be reached: ${why}.`,
    isUntrusted
      ? `Set MASTHEAD_CA_ROOTS to a file with the root certificate of ${new URL(directoryUrl).host}.`
      : `Allow connections from this machine to ${new URL(directoryUrl).host}, and check MASTHEAD_CA.`,
  )
}

function judgeCaa(name: string, title: string, verdict: CaaVerdict): DoctorFinding[] {
  if (verdict.kind === 'allowed') return []
  if (verdict.kind === 'forbidden') {
    const { sentence } = caaFix(verdict)
    const fix = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`
    return [problem(`The CAA records of ${verdict.at} do not allow ${title} to issue for ${name}.`, fix)]
  }
  if (verdict.cause === 'unknown_account') return []
  return [warning(`The CAA records of ${name} could not be read.`, 'Check its nameservers.')]
}
