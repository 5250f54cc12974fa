import { lazy } from 'react'
import { Route, Routes } from 'react-router'
import { AccountFrame } from './layout/account-frame.tsx'
import { OperatorFrame } from './layout/operator-frame.tsx'
import { ProjectFrame } from './layout/project-frame.tsx'
import { SettingsFrame } from './layout/settings-frame.tsx'
import { SignedIn } from './layout/signed-in.tsx'
import { NotFoundPage } from './pages/not-found.tsx'
import { ProjectsPage } from './pages/projects.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { paths } from './paths.ts'

// What most people see first comes with the first load; every other page comes when it is opened.
const WelcomePage = lazy(async () => ({ default: (await import('./pages/welcome.tsx')).WelcomePage }))
const SignUpPage = lazy(async () => ({ default: (await import('./pages/sign-up.tsx')).SignUpPage }))
const JoinPage = lazy(async () => ({ default: (await import('./pages/join.tsx')).JoinPage }))
const CommandLinePage = lazy(async () => ({ default: (await import('./pages/cli.tsx')).CommandLinePage }))
const NewProjectPage = lazy(async () => ({
  default: (await import('./pages/new-project.tsx')).NewProjectPage,
}))
const KeysPage = lazy(async () => ({ default: (await import('./pages/keys.tsx')).KeysPage }))
const UsagePage = lazy(async () => ({ default: (await import('./pages/usage.tsx')).UsagePage }))
const ActivityPage = lazy(async () => ({ default: (await import('./pages/activity.tsx')).ActivityPage }))
const MembersPage = lazy(async () => ({ default: (await import('./pages/members.tsx')).MembersPage }))
const PlanPage = lazy(async () => ({ default: (await import('./pages/plan.tsx')).PlanPage }))
const OverviewPage = lazy(async () => ({
  default: (await import('./pages/project/overview.tsx')).OverviewPage,
}))
const DeploymentsPage = lazy(async () => ({
  default: (await import('./pages/project/deployments.tsx')).DeploymentsPage,
}))
const DeploymentPage = lazy(async () => ({
  default: (await import('./pages/project/deployment.tsx')).DeploymentPage,
}))
const ProjectActivityPage = lazy(async () => ({
  default: (await import('./pages/project/activity.tsx')).ProjectActivityPage,
}))
const GeneralPage = lazy(async () => ({
  default: (await import('./pages/project/settings/general.tsx')).GeneralPage,
}))
const DomainsPage = lazy(async () => ({
  default: (await import('./pages/project/settings/domains.tsx')).DomainsPage,
}))
const DomainPage = lazy(async () => ({
  default: (await import('./pages/project/settings/domain.tsx')).DomainPage,
}))
const ServingPage = lazy(async () => ({
  default: (await import('./pages/project/settings/serving.tsx')).ServingPage,
}))
const DangerZonePage = lazy(async () => ({
  default: (await import('./pages/project/settings/danger-zone.tsx')).DangerZonePage,
}))
const OperatorAccountsPage = lazy(async () => ({
  default: (await import('./pages/operator/accounts.tsx')).OperatorAccountsPage,
}))
const OperatorBansPage = lazy(async () => ({
  default: (await import('./pages/operator/bans.tsx')).OperatorBansPage,
}))
const OperatorCertificatesPage = lazy(async () => ({
  default: (await import('./pages/operator/certificates.tsx')).OperatorCertificatesPage,
}))
const OperatorHealthPage = lazy(async () => ({
  default: (await import('./pages/operator/health.tsx')).OperatorHealthPage,
}))

export function AppRoutes() {
  return (
    <Routes>
      <Route path={paths.welcome()} element={<WelcomePage />} />
      <Route path={paths.signIn()} element={<SignInPage />} />
      <Route path={paths.signUp()} element={<SignUpPage />} />
      <Route path={paths.join()} element={<JoinPage />} />
      <Route element={<SignedIn />}>
        <Route path={paths.commandLine()} element={<CommandLinePage />} />
        <Route element={<AccountFrame />}>
          <Route path={paths.projects()} element={<ProjectsPage />} />
          <Route path={paths.newProject()} element={<NewProjectPage />} />
          <Route path={paths.keys()} element={<KeysPage />} />
          <Route path={paths.usage()} element={<UsagePage />} />
          <Route path={paths.activity()} element={<ActivityPage />} />
          <Route path={paths.members()} element={<MembersPage />} />
          <Route path={paths.plan()} element={<PlanPage />} />
        </Route>
        <Route element={<ProjectFrame />}>
          <Route path={paths.project(':project')} element={<OverviewPage />} />
          <Route path={paths.deployments(':project')} element={<DeploymentsPage />} />
          <Route path={paths.deployment(':project', ':deployment')} element={<DeploymentPage />} />
          <Route path={paths.projectActivity(':project')} element={<ProjectActivityPage />} />
          <Route element={<SettingsFrame />}>
            <Route path={paths.settings(':project')} element={<GeneralPage />} />
            <Route path={paths.domains(':project')} element={<DomainsPage />} />
            <Route path={paths.domain(':project', ':hostname')} element={<DomainPage />} />
            <Route path={paths.serving(':project')} element={<ServingPage />} />
            <Route path={paths.dangerZone(':project')} element={<DangerZonePage />} />
          </Route>
        </Route>
        <Route element={<OperatorFrame />}>
          <Route path={paths.operatorAccounts()} element={<OperatorAccountsPage />} />
          <Route path={paths.operatorBans()} element={<OperatorBansPage />} />
          <Route path={paths.operatorCertificates()} element={<OperatorCertificatesPage />} />
          <Route path={paths.operatorHealth()} element={<OperatorHealthPage />} />
        </Route>
      </Route>
      <Route path="*" element={<NotFoundPage />} />
    </Routes>
  )
}
