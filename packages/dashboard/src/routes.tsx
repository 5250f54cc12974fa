import type { ComponentType } from 'react'
import { matchPath, Route, Routes, useLocation } from 'react-router'
import { AccountFrame, OperatorFrame, PersonFrame } from './layout/frames.tsx'
import { NotFoundPage } from './layout/front-page.tsx'
import { lazyPart } from './layout/lazy-part.tsx'
import { ProjectFrame, SettingsFrame } from './layout/project-frame.tsx'
import { SignedIn } from './layout/signed-in.tsx'
import {
  pathInAccount,
  pathsWithoutAccount,
  RedirectToDefaultAccount,
  RequireAccount,
} from './layout/without-account.tsx'
import { ProjectsPage } from './pages/projects.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { paths } from './paths.ts'

/** Whichever the account, its pages have the same code. */
const openedPath = pathInAccount(location.pathname, 'any')

/**
 * Pages other than the first ones are loaded lazily. The page of the current URL starts loading right away, in
 * parallel with the session.
 */
function page(path: string, load: () => Promise<ComponentType>): ComponentType {
  const { Part, preload } = lazyPart(load)
  if (matchPath(path, openedPath) !== null) preload()
  return Part
}

const WelcomePage = page(paths.welcome(), async () => (await import('./pages/welcome.tsx')).WelcomePage)
const SignUpPage = page(paths.signUp(), async () => (await import('./pages/sign-up.tsx')).SignUpPage)
const JoinPage = page(paths.join(), async () => (await import('./pages/join.tsx')).JoinPage)
const ResetPasswordPage = page(
  paths.resetPassword(),
  async () => (await import('./pages/reset-password.tsx')).ResetPasswordPage,
)
const EnterSitePage = page(
  paths.enterSite(),
  async () => (await import('./pages/enter-site.tsx')).EnterSitePage,
)
const PersonPage = page(paths.person(), async () => (await import('./pages/person.tsx')).PersonPage)
const CommandLinePage = page(
  paths.commandLine(),
  async () => (await import('./pages/cli/command-line.tsx')).CommandLinePage,
)
const ApprovePage = page(
  paths.commandLine(),
  async () => (await import('./pages/cli/approve.tsx')).ApprovePage,
)
const NewProjectPage = page(
  paths.newProject(':account'),
  async () => (await import('./pages/new-project.tsx')).NewProjectPage,
)
const KeysPage = page(paths.keys(':account'), async () => (await import('./pages/keys.tsx')).KeysPage)
const ProofsPage = page(
  paths.proofs(':account'),
  async () => (await import('./pages/proofs/proofs-page.tsx')).ProofsPage,
)
const WebhooksPage = page(
  paths.webhooks(':account'),
  async () => (await import('./pages/webhooks.tsx')).WebhooksPage,
)
const UsagePage = page(paths.usage(':account'), async () => (await import('./pages/usage.tsx')).UsagePage)
const ActivityPage = page(
  paths.activity(':account'),
  async () => (await import('./pages/activity.tsx')).ActivityPage,
)
const MembersPage = page(
  paths.members(':account'),
  async () => (await import('./pages/members.tsx')).MembersPage,
)
const PlanPage = page(paths.plan(':account'), async () => (await import('./pages/plan.tsx')).PlanPage)
const OverviewPage = page(
  paths.project(':project'),
  async () => (await import('./pages/project/overview.tsx')).OverviewPage,
)
const DeploymentsPage = page(
  paths.deployments(':project'),
  async () => (await import('./pages/project/deployments.tsx')).DeploymentsPage,
)
const DeploymentPage = page(
  paths.deployment(':project', ':deployment'),
  async () => (await import('./pages/project/deployment.tsx')).DeploymentPage,
)
const ProjectActivityPage = page(
  paths.projectActivity(':project'),
  async () => (await import('./pages/project/activity.tsx')).ProjectActivityPage,
)
const GeneralPage = page(
  paths.settings(':project'),
  async () => (await import('./pages/project/settings/general.tsx')).GeneralPage,
)
const DomainsPage = page(
  paths.domains(':project'),
  async () => (await import('./pages/project/settings/domains.tsx')).DomainsPage,
)
const DomainPage = page(
  paths.domain(':project', ':hostname'),
  async () => (await import('./pages/project/settings/domain.tsx')).DomainPage,
)
const DomainRecordsPage = page(
  paths.domainRecords(':project'),
  async () => (await import('./pages/project/settings/domain-records.tsx')).DomainRecordsPage,
)
const ServingPage = page(
  paths.serving(':project'),
  async () => (await import('./pages/project/settings/serving.tsx')).ServingPage,
)
const ProtectionPage = page(
  paths.protection(':project'),
  async () => (await import('./pages/project/settings/protection.tsx')).ProtectionPage,
)
const DangerZonePage = page(
  paths.dangerZone(':project'),
  async () => (await import('./pages/project/settings/danger-zone.tsx')).DangerZonePage,
)
const OperatorAccountsPage = page(
  paths.operatorAccounts(),
  async () => (await import('./pages/operator/accounts.tsx')).OperatorAccountsPage,
)
const OperatorSitesPage = page(
  paths.operatorSites(),
  async () => (await import('./pages/operator/sites.tsx')).OperatorSitesPage,
)
const OperatorPeoplePage = page(
  paths.operatorPeople(),
  async () => (await import('./pages/operator/people.tsx')).OperatorPeoplePage,
)
const OperatorBansPage = page(
  paths.operatorBans(),
  async () => (await import('./pages/operator/bans.tsx')).OperatorBansPage,
)
const OperatorCertificatesPage = page(
  paths.operatorCertificates(),
  async () => (await import('./pages/operator/certificates.tsx')).OperatorCertificatesPage,
)
const OperatorHealthPage = page(
  paths.operatorHealth(),
  async () => (await import('./pages/operator/health.tsx')).OperatorHealthPage,
)

export function AppRoutes() {
  // A code needs somebody who approves it; the page without one is for everybody.
  const hasCode = useLocation().hash !== ''
  return (
    <Routes>
      <Route path={paths.welcome()} element={<WelcomePage />} />
      <Route path={paths.signIn()} element={<SignInPage />} />
      <Route path={paths.signUp()} element={<SignUpPage />} />
      <Route path={paths.join()} element={<JoinPage />} />
      <Route path={paths.resetPassword()} element={<ResetPasswordPage />} />
      {!hasCode && <Route path={paths.commandLine()} element={<CommandLinePage />} />}
      <Route element={<SignedIn />}>
        <Route element={<RequireAccount />}>
          <Route path={paths.commandLine()} element={<ApprovePage />} />
          {pathsWithoutAccount.map((path) => (
            <Route key={path} path={path} element={<RedirectToDefaultAccount />} />
          ))}
          <Route element={<AccountFrame />}>
            <Route path={paths.projects(':account')} element={<ProjectsPage />} />
            <Route path={paths.newProject(':account')} element={<NewProjectPage />} />
            <Route path={paths.keys(':account')} element={<KeysPage />} />
            <Route path={paths.proofs(':account')} element={<ProofsPage />} />
            <Route path={paths.webhooks(':account')} element={<WebhooksPage />} />
            <Route path={paths.usage(':account')} element={<UsagePage />} />
            <Route path={paths.activity(':account')} element={<ActivityPage />} />
            <Route path={paths.members(':account')} element={<MembersPage />} />
            <Route path={paths.plan(':account')} element={<PlanPage />} />
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
              <Route path={paths.domainRecords(':project')} element={<DomainRecordsPage />} />
              <Route path={paths.serving(':project')} element={<ServingPage />} />
              <Route path={paths.protection(':project')} element={<ProtectionPage />} />
              <Route path={paths.dangerZone(':project')} element={<DangerZonePage />} />
            </Route>
          </Route>
        </Route>
        <Route path={paths.enterSite()} element={<EnterSitePage />} />
        <Route element={<PersonFrame />}>
          <Route path={paths.person()} element={<PersonPage />} />
        </Route>
        <Route element={<OperatorFrame />}>
          <Route path={paths.operatorAccounts()} element={<OperatorAccountsPage />} />
          <Route path={paths.operatorSites()} element={<OperatorSitesPage />} />
          <Route path={paths.operatorPeople()} element={<OperatorPeoplePage />} />
          <Route path={paths.operatorBans()} element={<OperatorBansPage />} />
          <Route path={paths.operatorCertificates()} element={<OperatorCertificatesPage />} />
          <Route path={paths.operatorHealth()} element={<OperatorHealthPage />} />
        </Route>
      </Route>
      <Route path="*" element={<NotFoundPage />} />
    </Routes>
  )
}
