/**
 * `@peculiar/x509` is built with a container that refuses to load where the runtime lacks decorator metadata,
 * and asks for none: its classes are annotated by hand. "There is none" is all that it needs to hear.
 */
const none = () => undefined

for (const question of ['getMetadata', 'getOwnMetadata']) {
  if (question in Reflect) continue
  Object.defineProperty(Reflect, question, { value: none, configurable: true, writable: true })
}
