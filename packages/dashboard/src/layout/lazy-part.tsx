import { type ComponentType, use } from 'react'

/**
 * Why code could not be loaded: the server does not answer; it no longer has it, because it was updated after this
 * page was loaded; or it has it, and the browser does not ask again, as some do after a failure.
 */
export type NotLoadedReason = 'unreachable' | 'outdated' | 'remembered'

export class PartNotLoadedError extends Error {
  override readonly name = 'PartNotLoadedError'
  readonly reason: NotLoadedReason
  /** The next render loads it again. */
  readonly forget: () => void

  constructor(reason: NotLoadedReason, { cause, forget }: { cause: unknown; forget: () => void }) {
    super('A part of the dashboard could not be loaded.', { cause })
    this.reason = reason
    this.forget = forget
  }
}

export interface LazyPart<P> {
  Part: ComponentType<P>
  /** Starts loading. If that fails, rendering tries again. */
  preload: () => void
}

/**
 * A component whose code is loaded when it is needed. It suspends meanwhile, and throws a PartNotLoadedError for the
 * boundary around it. Unlike React's `lazy`, it can be loaded again after a failure.
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>): LazyPart<P> {
  let known: ComponentType<P> | null = null
  let loading: Promise<ComponentType<P>> | null = null
  const forget = () => {
    loading = null
  }

  async function start(): Promise<ComponentType<P>> {
    try {
      known = await load()
      return known
    } catch (cause) {
      throw new PartNotLoadedError(await reasonOf(cause), { cause, forget })
    }
  }

  function Part(props: P) {
    loading ??= start()
    // A loaded part is rendered without a fallback.
    const Loaded = known ?? use(loading)
    return <Loaded {...props} />
  }

  function preload() {
    loading ??= start()
    loading.catch(forget)
  }

  return { Part, preload }
}

const answersWithinMs = 5_000

/** Asks the server for the file. Safari does not name it: then the first one stands for all of its version. */
async function reasonOf(cause: unknown): Promise<NotLoadedReason> {
  const named = cause instanceof Error ? /https?:\S+/.exec(cause.message)?.[0] : undefined
  const file = named ?? document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src
  try {
    const signal = AbortSignal.timeout(answersWithinMs)
    const { ok, status } = await fetch(file ?? '/', { method: 'HEAD', cache: 'no-store', signal })
    if (status === 404) return 'outdated'
    return ok ? 'remembered' : 'unreachable'
  } catch {
    return 'unreachable'
  }
}
