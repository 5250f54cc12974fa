import { defaultUploadLimits } from '@masthead/contract/deployments.ts'
import { useRef, useState } from 'react'
import { useServer } from '../api/session.ts'
import { canHash } from './hash-files.ts'
import { readSite, type Source } from './read-site.ts'
import { SiteError, type SiteUpload } from './site.ts'

export type SiteState =
  | { is: 'none' }
  | { is: 'reading'; files: number }
  | { is: 'refused'; error: SiteError }
  | { is: 'read'; site: SiteUpload }

/** How many more files to find before rendering again. */
const reportEvery = 50

/** Reads a dropped or chosen site; a later one replaces an earlier one. */
export function useSite(onRead: (site: SiteUpload) => void = () => {}) {
  const limits = useServer().data?.uploadLimits ?? defaultUploadLimits
  const [state, setState] = useState<SiteState>({ is: 'none' })
  const reading = useRef(new AbortController())

  function forget() {
    reading.current.abort()
    setState({ is: 'none' })
  }

  async function read(source: Source): Promise<void> {
    reading.current.abort()
    reading.current = new AbortController()
    const { signal } = reading.current
    let reported = 0
    const found = (files: number) => {
      if (signal.aborted || files < reported + reportEvery) return
      reported = files
      setState({ is: 'reading', files })
    }
    setState({ is: 'reading', files: 0 })
    try {
      const site = await readSite(source, { limits, canHash: canHash(), signal, found })
      if (signal.aborted) return
      setState({ is: 'read', site })
      onRead(site)
    } catch (error) {
      if (signal.aborted) return
      setState({ is: 'refused', error: error instanceof SiteError ? error : unreadable() })
    }
  }

  return { state, limits, read, forget }
}

function unreadable(): SiteError {
  return new SiteError('Your selection cannot be read.', 'Check its permissions, then choose it again.')
}
