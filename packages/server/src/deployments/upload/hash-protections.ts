import type { ProtectRule } from '@masthead/contract/site-rules/rules.ts'
import type { PlainProtection } from '@masthead/contract/site-rules/sources/protection-list.ts'
import { FairQueue } from '../../kernel/fair-queue.ts'
import { hashPassword, passwordMatches } from '../../people/password.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { DeploymentContext } from '../deployment.ts'
import { readRules } from '../manifest-document.ts'

/** Hashing is slow on purpose. One account at a time takes one thread, and the others take turns. */
const hashing = new FairQueue({ size: 2 })

/**
 * Hashes the passwords of a deployment. A user whose password is the same as in the live deployment keeps the hash, so
 * that publishing again signs nobody out. The same user and password have one hash throughout.
 */
export async function hashProtections(
  { blobs }: Pick<DeploymentContext, 'blobs'>,
  { account_id, active_deployment_id }: Pick<ProjectRow, 'account_id' | 'active_deployment_id'>,
  protections: readonly PlainProtection[],
): Promise<ProtectRule[]> {
  if (protections.length === 0) return []
  const live = active_deployment_id === null ? null : await readRules(blobs, active_deployment_id)
  const before = (live?.protect ?? []).flatMap(({ credentials }) => credentials)
  const hashes = new Map<string, string>()
  const rules: ProtectRule[] = []
  for (const { credentials, ...rule } of protections) {
    const hashed: { user: string | null; hash: string }[] = []
    for (const { user, password } of credentials) {
      const key = JSON.stringify([user, password])
      const known = before.filter((one) => one.user === user).map(({ hash }) => hash)
      const hash = hashes.get(key) ?? (await hashing.run(account_id, () => keepOrHash(password, known)))
      hashes.set(key, hash)
      hashed.push({ user, hash })
    }
    rules.push({ ...rule, credentials: hashed })
  }
  return rules
}

async function keepOrHash(password: string, known: readonly string[]): Promise<string> {
  for (const hash of new Set(known)) if (await passwordMatches(password, hash)) return hash
  return hashPassword(password)
}
