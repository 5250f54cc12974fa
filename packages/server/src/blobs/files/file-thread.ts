import { Worker } from 'node:worker_threads'
import { programFile } from '../../kernel/program/own-files.ts'
import type { FileTask, FileThreadReply, FileThreadRequest } from './file-thread-worker.ts'

/** It keeps nothing between tasks. */
const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 }

/**
 * A thread for work on many small files, started when first needed. There the quick synchronous calls block nobody,
 * where the main thread would spend most of its time on handing each call to a thread pool.
 */
export class FileThread {
  #worker: Worker | null = null
  readonly #running = new Map<number, PromiseWithResolvers<void>>()
  #lastId = 0

  run(task: FileTask): Promise<void> {
    this.#worker ??= this.#start()
    const id = ++this.#lastId
    const settled = Promise.withResolvers<void>()
    this.#running.set(id, settled)
    // The process may end unless there is something to do.
    this.#worker.ref()
    const request: FileThreadRequest = { id, task }
    this.#worker.postMessage(request, task.kind === 'write' ? [task.bytes.buffer] : [])
    return settled.promise
  }

  #start(): Worker {
    const worker = new Worker(programFile('blobs/files/file-thread-worker'), { resourceLimits })
    worker.on('message', ({ id, failure }: FileThreadReply) => {
      const settled = this.#running.get(id)
      this.#running.delete(id)
      if (this.#running.size === 0) worker.unref()
      if (failure === undefined) settled?.resolve()
      else settled?.reject(Object.assign(new Error(failure.message), failure))
    })
    worker.on('error', (error) => this.#fail(worker, error))
    worker.on('exit', () => this.#fail(worker, new Error('The thread for files ended')))
    return worker
  }

  /** The next task starts a new thread. One that fails exits later, and must not take the tasks of the next with it. */
  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = null
    for (const { reject } of this.#running.values()) reject(error)
    this.#running.clear()
  }
}
