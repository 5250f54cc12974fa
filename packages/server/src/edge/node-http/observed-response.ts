import { type IncomingMessage, ServerResponse } from 'node:http'
import { Http2ServerResponse } from 'node:http2'

/** Tells when the head of a response is sent. */
export interface Observed {
  /**
   * Has a place from the start, and the same function can be used for all responses: a `writeHead` of its own for each
   * response takes the API a twentieth more time.
   */
  onHead: ((response: ServerResponse & Observed) => void) | null
  /** When its request had arrived, by `performance.now()`. */
  arrivedAt: number
}

export class ObservedResponse<Request extends IncomingMessage = IncomingMessage>
  extends ServerResponse<Request>
  implements Observed
{
  onHead: Observed['onHead'] = null
  arrivedAt = performance.now()

  // Node itself calls `writeHead` if nobody else did.
  override writeHead(...args: unknown[]): this {
    this.beforeHead()
    Reflect.apply(super.writeHead, this, args)
    this.onHead?.(this)
    return this
  }

  protected beforeHead(): void {}
}

export class ObservedStreamResponse extends Http2ServerResponse implements Observed {
  onHead: Observed['onHead'] = null
  arrivedAt = performance.now()

  override writeHead(...args: unknown[]): this {
    Reflect.apply(super.writeHead, this, args)
    // Node makes them compatible, but its types do not say so.
    this.onHead?.(this as unknown as ServerResponse & Observed)
    return this
  }
}

export function isObserved(response: ServerResponse): response is ServerResponse & Observed {
  return 'onHead' in response
}
