import { join } from 'node:path'
import { repositoryRoot } from '../repository.ts'
import { runBuild } from './run-build.ts'

export const dashboardFolder = join(repositoryRoot, 'packages/dashboard')

export const buildDashboard = () =>
  runBuild({
    what: 'the dashboard',
    folder: dashboardFolder,
    result: 'dist/index.html',
    // The dashboard, the packages it imports, and the installed versions.
    sources: ['packages/dashboard', 'packages/client', 'packages/contract', 'package-lock.json'],
  })
