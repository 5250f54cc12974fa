export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/**
 * Rejects when the work takes longer. If our own process was what stood still, the answer may lie in the socket
 * already: it gets one more turn of the event loop to be read.
 */
export function withTimeout<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(new TimeoutError(`no answer within ${milliseconds} ms`))
    const timer = setTimeout(() => setImmediate(give), milliseconds)
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
