/** Work in small steps: whoever runs it may let others go first between them. */
export type Steps<T = void> = Generator<void, T, void>

/** Runs all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Awaits `pause` between steps. */
export async function runInSlices<T>(steps: Steps<T>, pause: () => Promise<void> | undefined): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    await pause()
  }
}
