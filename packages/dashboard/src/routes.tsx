import { Route, Routes } from 'react-router'
import { CommandLinePage } from './pages/cli.tsx'
import { JoinPage } from './pages/join.tsx'
import { NotFoundPage } from './pages/not-found.tsx'
import { ProjectsPage } from './pages/projects.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { SignUpPage } from './pages/sign-up.tsx'
import { WelcomePage } from './pages/welcome.tsx'
import { paths } from './paths.ts'

export function AppRoutes() {
  return (
    <Routes>
      <Route path={paths.projects()} element={<ProjectsPage />} />
      <Route path={paths.welcome()} element={<WelcomePage />} />
      <Route path={paths.signIn()} element={<SignInPage />} />
      <Route path={paths.signUp()} element={<SignUpPage />} />
      <Route path={paths.join()} element={<JoinPage />} />
      <Route path={paths.commandLine()} element={<CommandLinePage />} />
      <Route path="*" element={<NotFoundPage />} />
    </Routes>
  )
}
