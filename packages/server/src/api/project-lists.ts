import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import { CurrentCache } from '../events/current-cache.ts'
import type { ProjectsRequest } from '../projects/read.ts'
import type { SerializedAnswer } from './serialize-answer.ts'

const maxBytes = 32 * 1024 * 1024
/** What a list counts for at least: there are at most 5,000. */
const minBytesPerList = Math.ceil(maxBytes / 5_000)
/** Lists of an account are a small part of all, however long they are. */
const maxBytesPerList = 64 * 1024
/** What programs ask for by default, the dashboard and the command line: one account cannot fill the cache. */
const keptLimits: readonly number[] = [20, 50, 100]

interface KeptList {
  accountId: Id<'account'>
  answer: SerializedAnswer
}

/**
 * Keeps the first page of accounts' projects, as it is sent, until anything changes in the account. Every function that
 * writes what a list shows notes the change of its account.
 */
export class ProjectLists {
  readonly #cache: CurrentCache<KeptList>

  constructor(changes: Pick<ChangeFeed, 'isCurrent' | 'subscribe'>) {
    this.#cache = new CurrentCache(changes, {
      kind: 'account',
      maxWeight: maxBytes,
      weightOf: ({ answer }) => Math.max(answer.bytes.length, minBytesPerList),
      subjectsOf: ({ accountId, answer }) => (answer.bytes.length > maxBytesPerList ? null : [accountId]),
    })
  }

  async get(
    accountId: Id<'account'>,
    { cursor, search, order, limit }: ProjectsRequest,
    load: () => Promise<SerializedAnswer>,
  ): Promise<SerializedAnswer> {
    if (cursor !== undefined || search !== undefined || !keptLimits.includes(limit)) return load()
    const { answer } = await this.#cache.get(`${accountId} ${order} ${limit}`, async () => ({
      accountId,
      answer: await load(),
    }))
    return answer
  }
}
