import '@fontsource-variable/geist/wght.css'
import '@fontsource-variable/geist-mono/wght.css'
import '@fontsource-variable/newsreader/wght.css'
import './styles.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { AppError } from './layout/app-error.tsx'
import { Waiting } from './layout/waiting.tsx'
import { personQueries } from './queries.ts'
import { AppRoutes } from './routes.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element for the dashboard')

createRoot(root).render(
  <StrictMode>
    <AppError>
      <QueryClientProvider client={personQueries}>
        <BrowserRouter>
          <Suspense fallback={<Waiting />}>
            <AppRoutes />
          </Suspense>
        </BrowserRouter>
      </QueryClientProvider>
    </AppError>
  </StrictMode>,
)
