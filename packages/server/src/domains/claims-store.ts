/** Whether PostgreSQL refused to let a second row hold a name. SQLite has one writer and cannot come to it. */
export function isSecondHolder(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'domains_held'
}
