/**
 * Node's test runner finds the test that something belongs to with an async hook, which is called for every promise: a
 * quarter of the processor time of tests that use a database. The context of an `AsyncLocalStorage` tells as much for
 * almost nothing. This has to run before `node:test` is loaded.
 */

import hooks, { AsyncLocalStorage, AsyncResource, type HookCallbacks } from 'node:async_hooks'

const { createHook, executionAsyncId } = hooks
const { runInAsyncScope } = AsyncResource.prototype
const test = new AsyncLocalStorage<number>()

/** Those that have begun and not ended, by async id. What lost its context belongs to the innermost. */
const running = new Set<number>()

Object.assign(hooks, {
  /** The first one to ask is the runner. It has taken both functions by now, and everyone else gets node's own. */
  createHook({ init }: HookCallbacks) {
    Object.assign(hooks, { createHook, executionAsyncId })
    Object.assign(AsyncResource.prototype, { runInAsyncScope: runInContext(init) })
    return { enable() {}, disable() {} }
  },
  executionAsyncId: () => test.getStore() ?? [...running].at(-1) ?? executionAsyncId(),
})

function runInContext(init: HookCallbacks['init']) {
  return function (
    this: AsyncResource,
    work: (...args: unknown[]) => unknown,
    self: unknown,
    ...args: unknown[]
  ) {
    if (!isTest(this)) return runInAsyncScope.call(this, work, self, ...args)
    const id = this.asyncId()
    init?.(id, 'Test', 0, this)
    running.add(id)
    const result = runInAsyncScope.call(this, () => test.run(id, () => work.apply(self, args)))
    Promise.resolve(result)
      .catch(() => {})
      .finally(() => running.delete(id))
    return result
  }
}

/** Tests, suites and hooks; other resources do not know a tree of tests. */
function isTest(resource: AsyncResource & { root?: { harness?: unknown } }): boolean {
  return resource.root?.harness !== undefined
}
