import { visitSecurely } from './visit-securely.ts'

/** Longer than a handshake takes that is only slow. */
const patience = 30_000

/** How many of these names show nothing to a visitor who comes once, all of them at the same time. */
export async function countRefused(
  names: readonly string[],
  { port, root }: { port: number; root: string },
): Promise<number> {
  const shown = await Promise.all(
    names.map((name) =>
      visitSecurely(port, name, root, { signal: AbortSignal.timeout(patience) }).then(
        ({ status }) => status === 200,
        () => false,
      ),
    ),
  )
  return shown.filter((isShown) => !isShown).length
}
