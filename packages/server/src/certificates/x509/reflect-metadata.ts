/**
 * `@peculiar/x509` uses a dependency container that refuses to load without decorator metadata, though its classes are
 * annotated by hand and need none. These stubs, which report no metadata, let it load.
 */
const none = () => undefined

for (const method of ['getMetadata', 'getOwnMetadata']) {
  if (method in Reflect) continue
  Object.defineProperty(Reflect, method, { value: none, configurable: true, writable: true })
}
