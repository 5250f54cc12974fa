import { foundation } from '../migrations/0001-foundation.ts'
import { limits } from '../migrations/0002-limits.ts'
import { domains } from '../migrations/0003-domains.ts'
import { certificates } from '../migrations/0004-certificates.ts'
import { strictTransport } from '../migrations/0005-strict-transport.ts'
import { activity } from '../migrations/0006-activity.ts'
import { operatorReads } from '../migrations/0007-operator-reads.ts'
import { keptTimelines } from '../migrations/0008-kept-timelines.ts'
import { agreedDomains } from '../migrations/0009-agreed-domains.ts'
import { knownPlaces } from '../migrations/0010-known-places.ts'
import { orderBudget } from '../migrations/0011-order-budget.ts'
import { publishingLimits } from '../migrations/0012-publishing-limits.ts'
import { names } from '../migrations/0013-names.ts'
import { people } from '../migrations/0017-people.ts'
import { projectsByChange } from '../migrations/0018-projects-by-change.ts'
import { sharedOperatorKey } from '../migrations/0019-shared-operator-key.ts'
import { liveVersions } from '../migrations/0020-live-versions.ts'
import { immutableAssets } from '../migrations/0021-immutable-assets.ts'
import { protectedSites } from '../migrations/0022-protected-sites.ts'
import { deploymentMetadata } from '../migrations/0024-deployment-metadata.ts'
import { staleWhileRevalidate } from '../migrations/0025-stale-while-revalidate.ts'
import { webhooks } from '../migrations/0026-webhooks.ts'
import { accountProofs } from '../migrations/0027-account-proofs.ts'
import { delegatedChallenges } from '../migrations/0028-delegated-challenges.ts'
import { ownCertificates } from '../migrations/0029-own-certificates.ts'
import { trustedPublishers } from '../migrations/0030-trusted-publishers.ts'
import { domainsOfBranches } from '../migrations/0031-domains-of-branches.ts'
import { wildcards } from '../migrations/0032-wildcards.ts'
import { proxiedDomains } from '../migrations/0034-proxied-domains.ts'
import { mail } from '../migrations/0035-mail.ts'
import { responsiblePeople } from '../migrations/0036-responsible-people.ts'
import { expiryIndexes } from '../migrations/0037-expiry-indexes.ts'
import { installation } from '../migrations/0038-installation.ts'
import { olderWebhookSecrets } from '../migrations/0041-older-webhook-secrets.ts'
import { fileStore } from '../migrations/0042-file-store.ts'
import { runningNodes } from '../migrations/0043-running-nodes.ts'
import { askedActivation } from '../migrations/0044-asked-activation.ts'
import { pipelineBranches } from '../migrations/0045-pipeline-branches.ts'
import { dueByAccount } from '../migrations/0046-due-by-account.ts'
import { archivesAndPreviews } from '../migrations/0047-archives-and-previews.ts'
import { failingCertificates } from '../migrations/0048-failing-certificates.ts'
import { planChanges } from '../migrations/0051-plan-changes.ts'
import { eventsOfProjectByKind } from '../migrations/0052-events-of-project-by-kind.ts'
import { firstQueuesOfWebhooks } from '../migrations/0053-first-queues-of-webhooks.ts'
import { claimableCertificates } from '../migrations/0054-claimable-certificates.ts'
import { contract, expand, type Migration } from './migration.ts'

/** In order. Names are stored in the database, so they never change. CONTRIBUTING.md says how to add one. */
export const migrations: readonly Migration[] = [
  expand('0001-foundation', foundation),
  expand('0002-limits', limits),
  expand('0003-domains', domains),
  expand('0004-certificates', certificates),
  expand('0005-strict-transport', strictTransport),
  expand('0006-activity', activity),
  expand('0007-operator-reads', operatorReads),
  contract('0008-kept-timelines', keptTimelines),
  expand('0009-agreed-domains', agreedDomains),
  expand('0010-known-places', knownPlaces),
  expand('0011-order-budget', orderBudget),
  expand('0012-publishing-limits', publishingLimits),
  contract('0013-names', names),
  contract('0017-people', people),
  expand('0018-projects-by-change', projectsByChange),
  expand('0019-shared-operator-key', sharedOperatorKey),
  expand('0020-live-versions', liveVersions),
  expand('0021-immutable-assets', immutableAssets),
  expand('0022-protected-sites', protectedSites),
  expand('0024-deployment-metadata', deploymentMetadata),
  expand('0025-stale-while-revalidate', staleWhileRevalidate),
  expand('0026-webhooks', webhooks),
  expand('0027-account-proofs', accountProofs),
  expand('0028-delegated-challenges', delegatedChallenges),
  expand('0029-own-certificates', ownCertificates),
  expand('0030-trusted-publishers', trustedPublishers),
  expand('0031-domains-of-branches', domainsOfBranches),
  expand('0032-wildcards', wildcards),
  expand('0034-proxied-domains', proxiedDomains),
  expand('0035-mail', mail),
  expand('0036-responsible-people', responsiblePeople),
  expand('0037-expiry-indexes', expiryIndexes),
  expand('0038-installation', installation),
  expand('0041-older-webhook-secrets', olderWebhookSecrets),
  expand('0042-file-store', fileStore),
  expand('0043-running-nodes', runningNodes),
  expand('0044-asked-activation', askedActivation),
  expand('0045-pipeline-branches', pipelineBranches),
  expand('0046-due-by-account', dueByAccount),
  expand('0047-archives-and-previews', archivesAndPreviews),
  expand('0048-failing-certificates', failingCertificates),
  expand('0051-plan-changes', planChanges),
  expand('0052-events-of-project-by-kind', eventsOfProjectByKind),
  expand('0053-first-queues-of-webhooks', firstQueuesOfWebhooks),
  expand('0054-claimable-certificates', claimableCertificates),
]
