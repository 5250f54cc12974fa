/** Leads to the timeline on the page of a domain. */
export const timelineHash = '#timeline'
