import { FairShare } from '../fair-share.ts'
import { Problem } from '../problem.ts'

/** Each holds a file and a connection open for as long as its client takes. */
const most = 128
/** In seconds. */
const retryAfter = 2

/** How many uploads run at once, with a share for each account: nobody keeps others from publishing. */
export class UploadsAtOnce {
  readonly #share: FairShare

  constructor(places = most) {
    this.#share = new FairShare(places)
  }

  async run<T>(accountId: string, upload: () => Promise<T>): Promise<T> {
    if (!this.#share.enter(accountId)) {
      const headers = { 'Retry-After': String(retryAfter) }
      throw new Problem('too_many_uploads', 'This account has as many uploads running as it may.', {
        headers,
      })
    }
    try {
      return await upload()
    } finally {
      this.#share.leave(accountId)
    }
  }
}
