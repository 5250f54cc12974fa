import { certificateTroubleOf } from '@masthead/contract/domains/certificate-trouble.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { pendingChanges } from './dns-changes.ts'
import { midSentence, type Phrase } from './state-words.ts'

export interface Step {
  title: string
  /** Ahead: its turn has not come. */
  at: 'done' | 'now' | 'stopped' | 'ahead'
  words: Phrase[]
}

/** The way of a domain: DNS record, certificate, live; with what is waited for in each. */
export function steps(domain: Domain): [Step, Step, Step] {
  return [
    { title: 'DNS record', ...dnsStep(domain) },
    { title: 'Certificate', ...certificateStep(domain) },
    { title: 'Live', ...liveStep(domain) },
  ]
}

type Progress = Pick<Step, 'at' | 'words'>

function dnsStep({ state, lastCheck, verifiedAt, records }: Domain): Progress {
  if (state === 'verified' || state === 'live') {
    return { at: 'done', words: verifiedAt === null ? ['found'] : ['found ', { ago: verifiedAt }] }
  }
  if (lastCheck?.outcome === 'right') return { at: 'done', words: ['found'] }
  const at = state === 'pending' ? 'now' : 'stopped'
  if (lastCheck?.outcome === 'unclear')
    return { at, words: ['could not be asked for; tried again by itself'] }
  const changes = pendingChanges(lastCheck, records).length
  if (changes === 0) return { at, words: ['set; not every nameserver has it yet'] }
  return { at, words: [changes === 1 ? 'one change to make' : `${changes} changes to make`] }
}

function certificateStep({ state, certificate, lastCheck }: Domain): Progress {
  const { status, issuer, lastError, nextAttemptAt } = certificate
  if (status === 'valid') {
    return { at: 'done', words: [issuer === null ? 'in place' : `by ${midSentence(issuer)}`] }
  }
  if (state === 'failed' && lastCheck?.outcome === 'right') return { at: 'stopped', words: ['refused'] }
  if (state !== 'verified') return { at: 'ahead', words: ['starts by itself, about a minute'] }
  const trouble = certificateTroubleOf({ state, certificate, lastCheck })
  if (trouble === 'refused' && lastError === null)
    return { at: 'stopped', words: ['a CAA record forbids it'] }
  if (lastError === null) return { at: 'now', words: ['on its way, about a minute'] }
  const at = trouble === 'refused' ? 'stopped' : 'now'
  return {
    at,
    words: nextAttemptAt === null ? ['refused'] : ['next attempt ', { due: nextAttemptAt }],
  }
}

function liveStep({ state, certificate, liveAt }: Domain): Progress {
  if (state === 'live')
    return { at: 'done', words: liveAt === null ? ['served'] : ['since ', { ago: liveAt }] }
  if (state === 'drifted') return { at: 'now', words: ['still served with its certificate'] }
  if (state === 'verified' && certificate.status === 'valid') {
    return { at: 'now', words: ['our own test visit comes next'] }
  }
  return { at: 'ahead', words: ['after our own test visit'] }
}
