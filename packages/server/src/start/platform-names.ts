import type { Context } from '../database/database.ts'
import { findSite } from '../domains/read.ts'
import { findPlatformName, type PlatformName, type PlatformNames } from '../edge/sites/host.ts'

export type FindPlatformName = (name: string) => Promise<PlatformName | null>

/** Decides for edge and worker which names of the platform may have a certificate. */
export function platformNameFinder(context: Context, names: PlatformNames): FindPlatformName {
  return (name) => findPlatformName(name, names, (target) => findSite(context, target, names.platformDomain))
}
