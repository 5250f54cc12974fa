/** Of the whole installation: its id, its keys, its file store and its processes. */
export interface InstallationTables {
  /** One row. Its id stays the same in copies. */
  installation: { id: string; created_at: number }
  /** A known value, sealed: shows whether we have the right master key. */
  master_key_check: { id: string; sealed: string }
  /** Used with PostgreSQL only: with SQLite it is in the data folder. */
  operator_key: { id: string; sealed_key: string; created_at: number }
  /** Signs what visitors of protected sites carry. */
  site_key: { id: string; sealed_key: string; created_at: number }
  /** The id that is stored with the files too. `written_at`: null until it is known to be there. */
  file_store: { id: string; store_id: string; written_at: number | null }
  /** Every running process, by the newest migration it knows. */
  live_versions: { id: string; newest_migration: string; seen_at: number; settings: string | null }
}
