import { Suspense } from 'react'
import { Outlet } from 'react-router'
import { paths } from '../paths.ts'
import { SideTabs } from '../ui/tabs.tsx'
import { useProject } from './project-frame.tsx'
import { PageWaiting } from './waiting.tsx'

/** Beside the settings of a project. */
export function SettingsFrame() {
  const { slug } = useProject()
  const tabs = [
    { to: paths.settings(slug), label: 'General', exact: true },
    { to: paths.domains(slug), label: 'Domains' },
    { to: paths.serving(slug), label: 'Serving' },
    { to: paths.dangerZone(slug), label: 'Danger zone' },
  ]
  return (
    <div className="mx-auto grid w-full max-w-[1112px] grid-cols-[minmax(0,1fr)] md:grid-cols-[200px_minmax(0,1fr)]">
      <div className="px-4 pt-6 sm:px-7 md:pt-14 md:pr-0">
        <SideTabs label="Settings" tabs={tabs} />
      </div>
      <Suspense fallback={<PageWaiting />}>
        <Outlet />
      </Suspense>
    </div>
  )
}
