/** The schema of the live read models. */
export const LIVE_SCHEMA = 'read';
/** The schema of those that were live until the swap before. */
export const OLD_SCHEMA = 'read_old';
