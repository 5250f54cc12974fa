export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/**
 * Rejects when the work takes longer. If our own process was blocked, the answer may already be in the socket, so it
 * gets one more turn of the event loop.
 */
export function withTimeout<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new TimeoutError(`no answer within ${milliseconds} ms`))
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds)
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
