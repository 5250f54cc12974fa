import { Problem } from '../problem.ts'
import { readHostname } from './hostname.ts'

/** A name that is only looked up may be any: also the platform's, and one that can no longer be added. */
const nothingReserved = { platformDomain: 'masthead.invalid', dashboardHost: '' }

/** The normal form of a name that somebody asks for as typed; null where it cannot be the name of anything here. */
export function namedHostname(typed: string): string | null {
  try {
    return readHostname(typed, nothingReserved).hostname
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return /^[a-z0-9.-]{1,253}$/i.test(typed) ? typed.toLowerCase() : null
  }
}
