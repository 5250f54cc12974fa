/**
 * Which account a request means. A signed-in person may belong to several, so that every request of the dashboard
 * names one; a key belongs to one account, and naming another is refused.
 */
export const accountHeader = 'Masthead-Account'
