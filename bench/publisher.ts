import { readFile } from 'node:fs/promises'
import { type MastheadOptions, MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { createPublisher } from '@masthead/testing/publisher.ts'

/** A fresh server with an account on it, and what a program needs to publish there. */
export interface Publisher extends AsyncDisposable {
  masthead: MastheadProcess
  key: string
  createProject(slug: string): Promise<unknown>
  /** The path of a tar.gz. */
  publishArchive(slug: string, archive: string): Promise<unknown>
}

export async function startPublisher(options: MastheadOptions = {}): Promise<Publisher> {
  const masthead = await MastheadProcess.start(options)
  try {
    const publisher = await createPublisher(masthead)
    return {
      masthead,
      key: publisher.key,
      createProject: publisher.createProject,
      publishArchive: async (slug, archive) =>
        publisher.publishArchive(slug, new Uint8Array(await readFile(archive))),
      [Symbol.asyncDispose]: () => masthead.stop(),
    }
  } catch (error) {
    await masthead.stop()
    throw error
  }
}
