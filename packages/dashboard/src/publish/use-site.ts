import { defaultUploadLimits } from '@masthead/contract/deployments.ts'
import { useRef, useState } from 'react'
import { useServer } from '../api/session.ts'
import { canHash } from './hash-files.ts'
import { readSite, type Source } from './read-site.ts'
import { SiteFault, type SiteUpload } from './site.ts'

export type SiteState =
  | { is: 'none' }
  | { is: 'reading'; files: number }
  | { is: 'refused'; fault: SiteFault }
  | { is: 'read'; site: SiteUpload }

/** A folder of many folders would otherwise draw the page for each of them. */
const tellEvery = 50

/** Reads what was dropped or chosen; what comes later takes the place of what came before. */
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
    let told = 0
    const found = (files: number) => {
      if (signal.aborted || files < told + tellEvery) return
      told = files
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
      setState({ is: 'refused', fault: error instanceof SiteFault ? error : unreadable() })
    }
  }

  return { state, limits, read, forget }
}

function unreadable(): SiteFault {
  return new SiteFault('What was chosen cannot be read.', 'Check its permissions, then choose it again.')
}
