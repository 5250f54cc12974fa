import { day, hour, minute, second } from '../clock.ts'
import type { FailureKind } from './failure.ts'

export interface Ladder {
  /** How long to wait after the first failure of this kind in a row, the second, …; the last one repeats. */
  waits: readonly number[]
  /** The order may still be finished: it is taken up again. Otherwise the next attempt orders anew. */
  keepsOrder?: boolean
  /** Trying again by itself would be in vain; where a certificate is still valid it is tried all the same. */
  forGood?: boolean
  /** The next attempt proves the name in the other way. */
  changesChallenge?: boolean
  /** Said to whoever owns the name, after the CA's own words. */
  hint: string
}

/** DNS, firewalls and proxies are repaired by people, mostly within the hour, sometimes after the weekend. */
const untilRepaired = [minute, 5 * minute, 15 * minute, 30 * minute, hour, 3 * hour, 6 * hour]
/** It may have come while our own edge was just being restarted. */
const untilReachable = [10 * second, 30 * second, ...untilRepaired]
/** Trouble of the CA or on the way to it passes by itself, mostly soon. */
const untilPassed = [10 * second, minute, 5 * minute, 15 * minute]
/** What should not happen is tried again, but not so that it costs anybody much. */
const now = 0
const unlikely = [minute, 15 * minute, hour, 6 * hour, day]

export const ladders: Readonly<Record<FailureKind, Ladder>> = {
  connection: {
    waits: untilReachable,
    changesChallenge: true,
    hint: 'It could not connect to this name. Check that every A and AAAA record leads here, and that no firewall or proxy stands in front of it.',
  },
  // Ours, not that of the name: ordered again, at once, but not for ever.
  interrupted: {
    waits: [now, ...untilReachable],
    hint: 'Nothing is wrong with the domain. It is ordered again automatically.',
  },
  dns: {
    waits: untilRepaired,
    hint: 'It could not look the name up. Check that all nameservers of the domain answer, and DNSSEC if you use it.',
  },
  unauthorized: {
    waits: untilRepaired,
    hint: 'Somebody else answered when it came to look. Check that every A and AAAA record leads here, and that nothing in front of the domain answers instead.',
  },
  caa: {
    waits: [hour, 3 * hour, 6 * hour],
    hint: 'A CAA record of the domain forbids this certificate authority. Allow it, then re-verify.',
  },
  // Found by our own look, which costs nothing: it can be repeated sooner than the CA's.
  caa_forbids: {
    waits: [5 * minute, 15 * minute, hour],
    hint: 'Change the CAA records as shown here, then re-verify.',
  },
  rate_limited: {
    waits: [hour, 3 * hour, 6 * hour, day],
    keepsOrder: true,
    hint: 'One of its limits is reached. It is tried again when the limit allows it; nothing is wrong with the domain.',
  },
  // Names of one account come back in turn. Those of many are not all to come back for each token.
  budget: {
    waits: [10 * second, minute, 5 * minute],
    hint: 'Its limits are kept by waiting. It is tried again by itself; nothing is wrong with the domain.',
  },
  server_internal: {
    waits: untilPassed,
    keepsOrder: true,
    hint: 'The fault is on its side. It is tried again by itself.',
  },
  unreachable: {
    waits: untilPassed,
    keepsOrder: true,
    hint: 'The fault is not with the domain. It is tried again by itself.',
  },
  // The client has tried twenty times by now.
  bad_nonce: { waits: untilPassed, keepsOrder: true, hint: 'It is tried again by itself.' },
  // It may not have come round to the replica that was asked, or be purged: then the order is gone as well.
  not_found: { waits: untilPassed, keepsOrder: true, hint: 'It is tried again by itself.' },
  account_refused: {
    waits: unlikely,
    hint: 'The account of this service is at fault, not the domain. Tell your operator; it is tried again by itself.',
  },
  // Another process was faster, or storage was behind: ordered again without `replaces`, at once, but not for ever.
  already_replaced: { waits: [now, ...unlikely], hint: 'It is ordered again by itself.' },
  // The CA has forgotten the account: it is registered again, at once, but not for ever.
  account_missing: { waits: [now, ...untilPassed], hint: 'It is tried again by itself.' },
  rejected_name: {
    waits: [day],
    forGood: true,
    hint: 'It does not issue certificates for this name. Use another name, or ask it why.',
  },
  malformed: {
    waits: [day],
    forGood: true,
    hint: 'It did not accept the request for this name. Re-verify tries again; if that does not help, tell your operator.',
  },
  invalid_answer: {
    waits: unlikely,
    hint: 'It is tried again by itself. If it stays so, tell your operator.',
  },
  misfit: { waits: unlikely, hint: 'It is tried again by itself. If it stays so, tell your operator.' },
  other: { waits: unlikely, hint: 'It is tried again by itself. If it stays so, tell your operator.' },
  fault: { waits: untilPassed, keepsOrder: true, hint: 'It is tried again by itself.' },
}
