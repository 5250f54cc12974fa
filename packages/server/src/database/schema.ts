import type { AccountTables } from './tables/account-tables.ts'
import type { CertificateTables } from './tables/certificate-tables.ts'
import type { DeploymentTables } from './tables/deployment-tables.ts'
import type { DomainTables } from './tables/domain-tables.ts'
import type { EventTables } from './tables/event-tables.ts'
import type { InstallationTables } from './tables/installation-tables.ts'
import type { KeyTables } from './tables/key-tables.ts'
import type { MailTables } from './tables/mail-tables.ts'
import type { PeopleTables } from './tables/people-tables.ts'
import type { ProjectTables } from './tables/project-tables.ts'
import type { ProofTables } from './tables/proof-tables.ts'
import type { RequestTables } from './tables/request-tables.ts'
import type { WebhookTables } from './tables/webhook-tables.ts'

/** Times are milliseconds since 1970, flags are 0 or 1, lists and objects are JSON text: the same in both databases. */
export interface Schema
  extends AccountTables,
    CertificateTables,
    DeploymentTables,
    DomainTables,
    EventTables,
    InstallationTables,
    KeyTables,
    MailTables,
    PeopleTables,
    ProjectTables,
    ProofTables,
    RequestTables,
    WebhookTables {}

export type Dialect = 'sqlite' | 'postgres'
