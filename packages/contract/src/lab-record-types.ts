/** Apart from the schema, so that the command line need not load zod for them. */
export const labRecordTypes = ['A', 'AAAA', 'CNAME', 'ALIAS', 'TXT', 'CAA'] as const
