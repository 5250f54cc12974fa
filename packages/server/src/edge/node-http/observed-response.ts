import { type IncomingMessage, ServerResponse } from 'node:http'

/**
 * Tells when its head is sent. The listener has a place from the start and is the same function for all: a `writeHead` of
 * its own for each response takes the API a twentieth more time.
 */
export class ObservedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  onHead: ((response: ObservedResponse) => void) | null = null
  observedSince = 0

  // Node itself calls `writeHead` if nobody else did.
  override writeHead(...args: unknown[]): this {
    this.beforeHead()
    Reflect.apply(super.writeHead, this, args)
    this.onHead?.(this)
    return this
  }

  protected beforeHead(): void {}
}
