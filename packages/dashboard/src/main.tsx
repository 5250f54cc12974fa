import '@fontsource-variable/geist/wght.css'
import '@fontsource-variable/geist-mono/wght.css'
import '@fontsource-variable/newsreader/wght.css'
import './styles.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter, RouterProvider, useRouteError } from 'react-router'
import { personQueries } from './api/queries.ts'
import { AppError } from './layout/front-page.tsx'
import { UnframedPages } from './layout/part-boundary.tsx'
import { supportTranslators } from './layout/translated-text.ts'
import { AppRoutes } from './routes.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root element')

// Only a data router supports useBlocker, which guards unsaved forms.
const router = createBrowserRouter([
  {
    path: '*',
    ErrorBoundary: Rethrow,
    element: (
      <UnframedPages>
        <AppRoutes />
      </UnframedPages>
    ),
  },
])

supportTranslators()
createRoot(root).render(
  <StrictMode>
    <AppError>
      <QueryClientProvider client={personQueries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </AppError>
  </StrictMode>,
)

/** Replaces the router's own error page: AppError around it shows ours. */
function Rethrow(): never {
  throw useRouteError()
}
